package io.weir.internal.algorithm;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.internal.algorithm.fixedwindow.FixedWindow;
import io.weir.internal.algorithm.inflight.InFlight;
import io.weir.internal.algorithm.leakybucket.LeakyBucket;
import io.weir.internal.algorithm.slidingcounter.SlidingCounter;
import io.weir.internal.algorithm.slidinglog.SlidingLog;
import io.weir.internal.algorithm.tokenbucket.TokenBucket;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.Collectors;

/** The registry of all algorithms. To add one, add a package and a line here. */
public final class Algorithms {
  public static final Algorithm TOKEN_BUCKET = new TokenBucket();
  public static final Algorithm LEAKY_BUCKET = new LeakyBucket();
  public static final Algorithm FIXED_WINDOW = new FixedWindow();
  public static final Algorithm SLIDING_LOG = new SlidingLog();
  public static final Algorithm SLIDING_COUNTER = new SlidingCounter();

  /** Counts running requests; used by the rule field {@code in-flight}, not by its name. */
  public static final Algorithm IN_FLIGHT = new InFlight();

  private static final List<Algorithm> ALL =
      List.of(TOKEN_BUCKET, LEAKY_BUCKET, FIXED_WINDOW, SLIDING_LOG, SLIDING_COUNTER);

  private Algorithms() {}

  public static List<Algorithm> all() {
    return ALL;
  }

  /**
   * Returns the algorithm with this name.
   *
   * @throws IllegalArgumentException if there is none; the message lists the known names
   */
  public static Algorithm named(String name) {
    for (Algorithm algorithm : ALL) {
      if (algorithm.name().equals(name)) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException(
        "algorithm '"
            + name
            + "' does not exist; write one of "
            + ALL.stream().map(Algorithm::name).collect(Collectors.joining(", ")));
  }

  /** Returns the Lua source of all algorithms: a chunk that fills the table {@code algorithms}. */
  public static String lua() {
    StringBuilder script = new StringBuilder(resource(Algorithms.class, "arithmetic.lua"));
    ALL.forEach(algorithm -> append(script, algorithm));
    append(script, IN_FLIGHT);
    return script.toString();
  }

  private static void append(StringBuilder script, Algorithm algorithm) {
    String name = algorithm.name();
    script
        .append("\nalgorithms['" + name + "'] = (function()\n")
        .append(resource(algorithm.getClass(), name + ".lua"))
        .append("end)()\n");
  }

  private static String resource(Class<?> type, String name) {
    try (InputStream in = type.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(
            "resource " + name + " is missing next to " + type.getName());
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
