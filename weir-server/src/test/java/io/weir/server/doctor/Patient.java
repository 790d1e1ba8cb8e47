package io.weir.server.doctor;

import io.weir.server.config.Config;
import io.weir.server.doctor.Finding.Grade;
import io.weir.store.Clock;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a doctor finds with settings of a test. */
record Patient(List<Finding> findings) {

  /**
   * Examines.
   *
   * @param flags names and values in turn, over the usual: all doors closed, a patient deadline
   */
  static Patient with(Path folder, String... flags) {
    return with(Clock.wall(), folder, flags);
  }

  static Patient with(Clock wall, Path folder, String... flags) {
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
    List<Finding> findings = new ArrayList<>();
    new Doctor(Config.of(all), wall, findings::add).examine();
    return new Patient(findings);
  }

  /** What was found of one subject. */
  List<Finding> of(String subject) {
    return findings.stream().filter(f -> f.subject().equals(subject)).toList();
  }

  /** Everything that is not well. */
  List<Finding> ills() {
    return findings.stream().filter(f -> f.grade() != Grade.OK).toList();
  }
}
