package io.weir.cli.doctor;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.Durations;
import io.weir.redis.RedisStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.Arrays;

/**
 * Measures the latency of decisions with the configured store.
 *
 * <p>The decisions are charged to a separate rule, whose counters expire after a second.
 */
final class DecisionLatencyCheck {
  private static final String SUBJECT = "latency";
  private static final Rule PROBE_RULE =
      Rule.named("weir-doctor").per("probe").limit("1000000/second").build();
  private static final Duration MIN_STORE_DEADLINE = Duration.ofSeconds(1);
  private static final int WARMUP_DECISIONS = 200;
  private static final int MEASURED_DECISIONS = 500;
  private static final int CALLER_COUNT = 16;
  private static final long MAX_MEASUREMENT_MICROS = 2_000_000;

  private final ServerConfig config;
  private final Clock timer = Clock.system();
  private volatile String lastFailure = "";

  DecisionLatencyCheck(ServerConfig config) {
    this.config = config;
  }

  DoctorFinding finding() {
    Duration deadline = config.get(ServerSettings.STORE_DEADLINE);
    try (RedisStore store =
            RedisStore.at(config.get(ServerSettings.STORE))
                .deadline(
                    deadline.compareTo(MIN_STORE_DEADLINE) > 0 ? deadline : MIN_STORE_DEADLINE)
                .prefix(config.get(ServerSettings.STORE_PREFIX))
                .packedBuckets(config.get(ServerSettings.STORE_PAGES))
                .listener(new LastFailureListener())
                .open();
        Limiter limiter = Weir.limiter(RuleSet.of(PROBE_RULE)).store(store).build()) {
      long[] cold = measureMicros(limiter, WARMUP_DECISIONS);
      long[] latencies = cold.length == 0 ? cold : measureMicros(limiter, MEASURED_DECISIONS);
      if (latencies.length == 0) {
        return storeFailureFinding(
            store.health().available() ? lastFailure : store.health().state());
      }
      return latencyFinding(latencies, deadline);
    }
  }

  /**
   * Takes decisions and returns their latencies in microseconds: {@code count} of them, fewer if
   * the time is over, none if the store did not answer one.
   */
  private long[] measureMicros(Limiter limiter, int count) {
    long[] latencies = new long[count];
    long end = timer.micros() + MAX_MEASUREMENT_MICROS;
    for (int i = 0; i < count; i++) {
      long start = timer.micros();
      if (start > end) {
        return Arrays.copyOf(latencies, i);
      }
      Request request = Request.of("probe", Integer.toString(i % CALLER_COUNT));
      if (limiter.decideNow(request).degraded()) {
        return new long[0];
      }
      latencies[i] = timer.micros() - start;
    }
    return latencies;
  }

  private static DoctorFinding latencyFinding(long[] latencies, Duration deadline) {
    Arrays.sort(latencies);
    long median = latencies[latencies.length / 2];
    long p99 = latencies[latencies.length * 99 / 100];
    long deadlineMicros = deadline.toNanos() / 1000;
    String text =
        "a decision takes %s (median), %s (p99); the deadline is %s"
            .formatted(
                FindingFormat.millis(median),
                FindingFormat.millis(p99),
                Durations.format(deadline));
    if (median > deadlineMicros) {
      return DoctorFinding.problem(
          SUBJECT,
          text + ": rules use their fallback",
          "raise --store-deadline, or use a nearer store");
    }
    return p99 > deadlineMicros
        ? DoctorFinding.warning(
            SUBJECT, text, "run redis-cli --intrinsic-latency 10 there, or raise --store-deadline")
        : DoctorFinding.ok(SUBJECT, text);
  }

  private static DoctorFinding storeFailureFinding(String reason) {
    String help =
        reason.contains("NOPERM") || reason.contains("permission")
            ? "run ACL SETUSER name ~weir:* +@read +@write +@scripting +@connection +time"
            : "check its log";
    return DoctorFinding.problem(
        "decisions", "the store cannot decide: " + FindingFormat.singleLine(reason), help);
  }

  /** Keeps the reason why the store did not answer. */
  private final class LastFailureListener implements StoreListener {
    @Override
    public void onFailure(StoreFailureKind kind, String reason) {
      lastFailure = reason;
    }
  }
}
