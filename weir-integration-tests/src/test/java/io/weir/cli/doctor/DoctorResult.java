package io.weir.cli.doctor;

import io.weir.cli.doctor.DoctorFinding.FindingSeverity;
import io.weir.server.config.ServerConfig;
import io.weir.store.Clock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The findings of the doctor for the settings of a test. */
record DoctorResult(List<DoctorFinding> findings) {

  /**
   * Runs the doctor.
   *
   * @param flags alternating names and values; by default ports are off, the deadline long
   */
  static DoctorResult run(Path folder, String... flags) {
    return run(Clock.wall(), folder, flags);
  }

  static DoctorResult run(Clock wall, Path folder, String... flags) {
    Map<String, String> all = new HashMap<>();
    all.put("data", folder.resolve("data").toString());
    all.put("rules", "jdbc:h2:file:" + folder.resolve("none"));
    all.put("store-deadline", "10s");
    for (String listener : List.of("http", "grpc", "gateway", "admin")) {
      all.put(listener + "-port", "off");
    }
    for (int i = 0; i < flags.length; i += 2) {
      all.put(flags[i], flags[i + 1]);
    }
    List<DoctorFinding> findings = new ArrayList<>();
    new Doctor(ServerConfig.of(all), wall, findings::add).run();
    return new DoctorResult(findings);
  }

  /** Returns the findings of one check. */
  List<DoctorFinding> findingsOf(String subject) {
    return findings.stream().filter(f -> f.subject().equals(subject)).toList();
  }

  /** Returns all warnings and problems. */
  List<DoctorFinding> warningsAndProblems() {
    return findings.stream().filter(f -> f.severity() != FindingSeverity.OK).toList();
  }
}
