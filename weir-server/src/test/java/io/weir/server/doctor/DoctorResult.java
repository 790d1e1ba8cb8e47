package io.weir.server.doctor;

import io.weir.server.config.ServerConfig;
import io.weir.server.doctor.DoctorFinding.FindingSeverity;
import io.weir.store.Clock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a doctor finds with settings of a test. */
record DoctorResult(List<DoctorFinding> findings) {

  /**
   * Examines.
   *
   * @param flags names and values in turn, over the usual: all doors closed, a patient deadline
   */
  static DoctorResult run(Path folder, String... flags) {
    return run(Clock.wall(), folder, flags);
  }

  static DoctorResult run(Clock wall, Path folder, String... flags) {
    Map<String, String> all = new HashMap<>();
    all.put("data", folder.resolve("data").toString());
    all.put("rules", "jdbc:h2:file:" + folder.resolve("none"));
    all.put("store-deadline", "10s");
    for (String door : List.of("http", "grpc", "gateway", "admin")) {
      all.put(door + "-port", "off");
    }
    for (int i = 0; i < flags.length; i += 2) {
      all.put(flags[i], flags[i + 1]);
    }
    List<DoctorFinding> findings = new ArrayList<>();
    new Doctor(ServerConfig.of(all), wall, findings::add).run();
    return new DoctorResult(findings);
  }

  /** What was found of one subject. */
  List<DoctorFinding> findingsOf(String subject) {
    return findings.stream().filter(f -> f.subject().equals(subject)).toList();
  }

  /** Everything that is not well. */
  List<DoctorFinding> warningsAndProblems() {
    return findings.stream().filter(f -> f.severity() != FindingSeverity.OK).toList();
  }
}
