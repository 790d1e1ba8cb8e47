package io.weir.server.home;

/** Why rules cannot be read from where they live, or changed there, in one line. */
public final class HomeException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What kind of reason it is. */
  public enum Kind {
    /** There is nothing there yet. */
    MISSING,
    /** Another process has it for itself. */
    HELD,
    /** It is there, and refuses. */
    REFUSED
  }

  private final Kind kind;

  public HomeException(Kind kind, String reason) {
    super(reason);
    this.kind = kind;
  }

  HomeException(Kind kind, String reason, Throwable cause) {
    super(reason, cause);
    this.kind = kind;
  }

  public Kind kind() {
    return kind;
  }
}
