package io.weir.server;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/** Plays the same requests through every algorithm and prints what each decides. */
public final class Demo {
  private static final long MIDNIGHT = 1_767_225_600_000_000L;
  private static final String USAGE =
      """
      usage: weir demo

        demo   plays one burst and a trickle through the five algorithms and prints the decisions
      """;

  private final PrintStream out;

  Demo(PrintStream out) {
    this.out = out;
  }

  public static void main(String[] args) {
    System.exit(new Demo(System.out).run(args));
  }

  /** Runs a command; the exit code. */
  int run(String... args) {
    List<String> words = List.of(args);
    if (words.equals(List.of("demo"))) {
      play();
      return 0;
    }
    boolean help = words.contains("--help") || words.contains("-h");
    out.print(help || words.isEmpty() ? USAGE : "weir: unknown command " + words + "\n" + USAGE);
    return help ? 0 : 1;
  }

  private void play() {
    double[] seconds = {8, 8, 8, 8, 8, 8, 9, 10, 10, 10, 10, 10, 11, 12, 13, 16};
    out.println("Weir: one caller, 4 permits per 10 s, the same requests through each algorithm.");
    out.println("  + allowed   . refused   +2s allowed, to be held for two seconds");
    out.println();
    StringBuilder header = new StringBuilder(String.format("%-16s", "second"));
    for (double second : seconds) {
      header.append(String.format(Locale.ROOT, "%-6.0f", second));
    }
    out.println(header + "then");
    for (Algorithm algorithm : Algorithms.all()) {
      play(algorithm, seconds);
    }
    out.println();
    out.println("The fixed window lets 8 pass around second 10: its edge. The others do not.");
    out.println();
    out.println("In your own code, with weir-core as the only dependency:");
    out.println(
        """

          Limiter limiter = Weir.inMemory(Rule.named("api").per("user").limit("100/minute").build());
          Decision decision = limiter.decideNow(Request.of("user", "42"));
        """);
    Limiter limiter = Weir.inMemory(Rule.named("api").per("user").limit("100/minute").build());
    out.println("which says: " + limiter.decideNow(Request.of("user", "42")));
  }

  private void play(Algorithm algorithm, double[] seconds) {
    AtomicLong now = new AtomicLong(MIDNIGHT);
    Rule rule = Rule.named("demo").algorithm(algorithm).per("user").limit("4/10s").build();
    Limiter limiter = Weir.limiter(RuleSet.of(rule)).clock(now::get).build();
    StringBuilder row = new StringBuilder(String.format("%-16s", algorithm.name()));
    Decision last = null;
    for (double second : seconds) {
      now.set(MIDNIGHT + (long) (second * 1_000_000));
      last = limiter.decideNow(Request.of("user", "42"));
      row.append(String.format("%-6s", mark(last)));
    }
    out.println(row + (last == null ? "" : last.toString()));
  }

  private static String mark(Decision decision) {
    if (!decision.allowed()) {
      return ".";
    }
    double delay = decision.delay().toMillis() / 1000.0;
    return delay == 0 ? "+" : String.format(Locale.ROOT, "+%.1fs", delay).replace(".0s", "s");
  }
}
