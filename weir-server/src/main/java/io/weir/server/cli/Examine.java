package io.weir.server.cli;

import io.weir.server.config.Config;
import io.weir.server.doctor.Doctor;
import io.weir.server.doctor.Finding;
import io.weir.server.doctor.Finding.Grade;
import io.weir.store.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Looks for what is wrong with everything a server with these settings would need. */
@Command(
    name = "doctor",
    sortOptions = false,
    description = {
      "Looks for what is wrong, or soon will be, with all that a server of these settings needs.",
      "",
      "Takes the settings of weir serve: its machine, ports, rules and store are looked at, and",
      "some decisions are taken. Prints a line for each, with what helps where it is not well."
    },
    footer = {
      "  weir doctor --store redis://127.0.0.1:6379",
      "  weir doctor --config weir.yaml",
      "  weir doctor --store redis-cluster://a:6379,b:6379 --rules jdbc:postgresql://db/weir"
    },
    exitCodeList = {"0:well, perhaps with warnings", "1:there is a problem"})
final class Examine implements Callable<Integer> {
  @Spec CommandSpec spec;

  private final Map<String, String> environment;
  private final Map<Grade, Integer> counts = new EnumMap<>(Grade.class);

  private Examine(Map<String, String> environment) {
    this.environment = environment;
  }

  static CommandSpec spec(Map<String, String> environment) {
    return SettingFlags.addTo(CommandSpec.forAnnotatedObject(new Examine(environment)));
  }

  @Override
  public Integer call() {
    Config config = SettingFlags.read(spec, environment);
    Screen screen = Screen.of(spec.commandLine());
    new Doctor(config, Clock.wall(), finding -> tell(finding, screen)).examine();
    int problems = counts.getOrDefault(Grade.PROBLEM, 0);
    int warnings = counts.getOrDefault(Grade.WARNING, 0);
    screen.line(Words.count(problems, "problem") + ", " + Words.count(warnings, "warning"));
    return problems == 0 ? 0 : Main.WRONG;
  }

  private void tell(Finding finding, Screen screen) {
    counts.merge(finding.grade(), 1, Integer::sum);
    String grade =
        switch (finding.grade()) {
          case OK -> screen.good("ok     ");
          case WARNING -> screen.doubtful("warning");
          case PROBLEM -> screen.bad("problem");
        };
    String help = finding.help().isEmpty() ? "" : "; " + finding.help();
    screen.line(
        "%s  %-12s  %s".formatted(grade, finding.subject(), Words.line(finding.text() + help)));
  }
}
