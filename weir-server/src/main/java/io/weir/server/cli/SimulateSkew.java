package io.weir.server.cli;

import io.weir.lab.Skew;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What wrong clocks do to a shared counter. */
@Command(
    name = "skew",
    sortOptions = false,
    description = {
      "Gives nodes wrong clocks, and shows what a shared counter admits.",
      "",
      "Once as if each node told the counter its own time, once as in Weir, where the store's time",
      "counts. Each node is asked, evenly, for the whole limit."
    },
    footer = {"  weir simulate skew --nodes 3 --limit 60 --skew 300ms"})
final class SimulateSkew implements Callable<Integer> {
  @Mixin ManyNodes all = new ManyNodes();

  @Option(
      names = "--skew",
      paramLabel = "TIME",
      defaultValue = "300ms",
      description = "How far the clocks are apart, the first to the last (${DEFAULT-VALUE}).")
  String skew = "300ms";

  @Mixin FindingView view = new FindingView();

  @Spec CommandSpec spec;

  @Override
  public Integer call() throws Exception {
    return view.show(spec, () -> new Skew(all.nodes, all.limit, FindingView.time(skew)).run());
  }
}
