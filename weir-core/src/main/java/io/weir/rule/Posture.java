package io.weir.rule;

/**
 * What a rule answers when its store does not.
 *
 * @param answer the answer
 * @param percent the share of the budget each node gives out alone where the answer is local; zero
 *     elsewhere
 */
public record Posture(Answer answer, int percent) {

  /** The answers there are. */
  public enum Answer {
    /** Admit. */
    OPEN,
    /** Refuse. */
    CLOSED,
    /** Count a share of the budget in this node's memory. */
    LOCAL
  }

  public static final Posture OPEN = new Posture(Answer.OPEN, 0);
  public static final Posture CLOSED = new Posture(Answer.CLOSED, 0);

  public Posture {
    if (answer == Answer.LOCAL && (percent < 1 || percent > 100)) {
      throw new IllegalArgumentException(
          "local-share of " + percent + "% cannot be; write 1% to 100%");
    }
    if (answer != Answer.LOCAL && percent != 0) {
      throw new IllegalArgumentException("local-share goes with local only; leave it out");
    }
  }

  /** That share of a number of permits, at least one if there are any. */
  long share(long permits) {
    return Math.max(Math.min(1, permits), permits / 100 * percent + permits % 100 * percent / 100);
  }

  /** Each node counts that share of the budget alone. */
  public static Posture local(int percent) {
    return new Posture(Answer.LOCAL, percent);
  }
}
