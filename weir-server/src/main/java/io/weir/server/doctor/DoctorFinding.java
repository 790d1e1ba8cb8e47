package io.weir.server.doctor;

/**
 * One thing that was looked at.
 *
 * @param subject what was looked at, in a word
 * @param text what was found
 * @param help what to do about it; empty where all is well
 */
public record DoctorFinding(FindingSeverity severity, String subject, String text, String help) {

  /** How much it matters. */
  public enum FindingSeverity {
    /** All is well. */
    OK,
    /** It works, though not as well or as long as it should. */
    WARNING,
    /** Something does not work, or budgets will be lost. */
    PROBLEM
  }

  static DoctorFinding ok(String subject, String text) {
    return new DoctorFinding(FindingSeverity.OK, subject, text, "");
  }

  static DoctorFinding warning(String subject, String text, String help) {
    return new DoctorFinding(FindingSeverity.WARNING, subject, text, help);
  }

  static DoctorFinding problem(String subject, String text, String help) {
    return new DoctorFinding(FindingSeverity.PROBLEM, subject, text, help);
  }
}
