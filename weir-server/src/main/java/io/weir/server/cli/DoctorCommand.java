package io.weir.server.cli;

import io.weir.server.config.ServerConfig;
import io.weir.server.doctor.Doctor;
import io.weir.server.doctor.DoctorFinding;
import io.weir.server.doctor.DoctorFinding.FindingSeverity;
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
final class DoctorCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  private final Map<String, String> environment;
  private final Map<FindingSeverity, Integer> counts = new EnumMap<>(FindingSeverity.class);

  private DoctorCommand(Map<String, String> environment) {
    this.environment = environment;
  }

  static CommandSpec spec(Map<String, String> environment) {
    return SettingOptions.addTo(CommandSpec.forAnnotatedObject(new DoctorCommand(environment)));
  }

  @Override
  public Integer call() {
    ServerConfig config = SettingOptions.read(spec, environment);
    TerminalOutput screen = TerminalOutput.of(spec.commandLine());
    new Doctor(config, Clock.wall(), finding -> print(finding, screen)).run();
    int problems = counts.getOrDefault(FindingSeverity.PROBLEM, 0);
    int warnings = counts.getOrDefault(FindingSeverity.WARNING, 0);
    screen.println(
        TerminalText.countOf(problems, "problem")
            + ", "
            + TerminalText.countOf(warnings, "warning"));
    return problems == 0 ? 0 : Main.EXIT_ERROR;
  }

  private void print(DoctorFinding finding, TerminalOutput screen) {
    counts.merge(finding.severity(), 1, Integer::sum);
    String grade =
        switch (finding.severity()) {
          case OK -> screen.success("ok     ");
          case WARNING -> screen.warning("warning");
          case PROBLEM -> screen.error("problem");
        };
    String help = finding.help().isEmpty() ? "" : "; " + finding.help();
    screen.println(
        "%s  %-12s  %s"
            .formatted(grade, finding.subject(), TerminalText.sanitize(finding.text() + help)));
  }
}
