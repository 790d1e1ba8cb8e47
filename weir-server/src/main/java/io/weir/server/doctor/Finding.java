package io.weir.server.doctor;

/**
 * One thing that was looked at.
 *
 * @param subject what was looked at, in a word
 * @param text what was found
 * @param help what to do about it; empty where all is well
 */
public record Finding(Grade grade, String subject, String text, String help) {

  /** How much it matters. */
  public enum Grade {
    /** All is well. */
    OK,
    /** It works, though not as well or as long as it should. */
    WARNING,
    /** Something does not work, or budgets will be lost. */
    PROBLEM
  }

  static Finding ok(String subject, String text) {
    return new Finding(Grade.OK, subject, text, "");
  }

  static Finding warning(String subject, String text, String help) {
    return new Finding(Grade.WARNING, subject, text, help);
  }

  static Finding problem(String subject, String text, String help) {
    return new Finding(Grade.PROBLEM, subject, text, help);
  }
}
