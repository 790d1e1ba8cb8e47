package io.weir.cli.doctor;

/**
 * The result of one check of {@code weir doctor}.
 *
 * @param subject the name of the check, in a word
 * @param text the result
 * @param help the remedy; empty if all is well
 */
public record DoctorFinding(FindingSeverity severity, String subject, String text, String help) {

  /** The severity of a finding. */
  public enum FindingSeverity {
    /** No problem. */
    OK,
    /** It works, but may fail later or performs badly. */
    WARNING,
    /** Something does not work, or counters will be lost. */
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
