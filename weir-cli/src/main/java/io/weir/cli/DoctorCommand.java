package io.weir.cli;

import io.weir.cli.doctor.Doctor;
import io.weir.cli.doctor.DoctorFinding;
import io.weir.cli.doctor.DoctorFinding.FindingSeverity;
import io.weir.server.config.ServerConfig;
import io.weir.store.Clock;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code weir doctor}: checks everything that a server with the given settings needs. */
@Command(
    name = "doctor",
    sortOptions = false,
    description = {
      "Checks everything that a server with these settings needs.",
      "",
      "Takes the settings of weir serve. Checks the machine, ports, rules and store, and measures the",
      "latency of decisions. Prints one line per check, with a remedy for each warning and problem."
    },
    footer = {
      "  weir doctor --store redis://127.0.0.1:6379",
      "  weir doctor --config weir.yaml",
      "  weir doctor --store redis-cluster://a:6379,b:6379 --rules jdbc:postgresql://db/weir"
    },
    exitCodeList = {"0:no problem, perhaps with warnings", "1:at least one problem"})
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
    TerminalOutput output = TerminalOutput.of(spec.commandLine());
    new Doctor(config, Clock.wall(), finding -> print(finding, output)).run();
    int problems = counts.getOrDefault(FindingSeverity.PROBLEM, 0);
    int warnings = counts.getOrDefault(FindingSeverity.WARNING, 0);
    output.println(
        TerminalText.countOf(problems, "problem")
            + ", "
            + TerminalText.countOf(warnings, "warning"));
    return problems == 0 ? 0 : Main.EXIT_ERROR;
  }

  private void print(DoctorFinding finding, TerminalOutput output) {
    counts.merge(finding.severity(), 1, Integer::sum);
    String severity =
        switch (finding.severity()) {
          case OK -> output.success("ok     ");
          case WARNING -> output.warning("warning");
          case PROBLEM -> output.error("problem");
        };
    String help = finding.help().isEmpty() ? "" : "; " + finding.help();
    output.println(
        "%s  %-12s  %s"
            .formatted(severity, finding.subject(), TerminalText.sanitize(finding.text() + help)));
  }
}
