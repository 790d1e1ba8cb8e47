package io.weir.server.doctor;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.Durations;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.config.ServerConfig;
import io.weir.server.config.ServerSettings;
import io.weir.store.Clock;
import io.weir.store.StoreException;
import io.weir.store.StoreListener;
import java.time.Duration;
import java.util.Arrays;

/**
 * Takes some decisions as a server would, and looks at how long they take.
 *
 * <p>They are charged to a rule of its own, whose counters are forgotten after a second.
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
      long[] took = cold.length == 0 ? cold : measureMicros(limiter, MEASURED_DECISIONS);
      if (took.length == 0) {
        return storeFailureFinding(
            store.health().available() ? lastFailure : store.health().state());
      }
      return latencyFinding(took, deadline);
    }
  }

  /**
   * How long decisions took, in microseconds: so many, or as many as there was time for; none if
   * one was not answered.
   */
  private long[] measureMicros(Limiter limiter, int count) {
    long[] took = new long[count];
    long end = timer.micros() + MAX_MEASUREMENT_MICROS;
    for (int i = 0; i < count; i++) {
      long asked = timer.micros();
      if (asked > end) {
        return Arrays.copyOf(took, i);
      }
      Request request = Request.of("probe", Integer.toString(i % CALLER_COUNT));
      if (limiter.decideNow(request).degraded()) {
        return new long[0];
      }
      took[i] = timer.micros() - asked;
    }
    return took;
  }

  private static DoctorFinding latencyFinding(long[] took, Duration deadline) {
    Arrays.sort(took);
    long half = took[took.length / 2];
    long most = took[took.length * 99 / 100];
    long allowed = deadline.toNanos() / 1000;
    String text =
        "a decision takes %s, one in a hundred %s; the deadline is %s"
            .formatted(
                FindingFormat.millis(half), FindingFormat.millis(most), Durations.format(deadline));
    if (half > allowed) {
      return DoctorFinding.problem(
          SUBJECT, text + ": postures answer instead", "write --store-deadline, or a nearer store");
    }
    return most > allowed
        ? DoctorFinding.warning(
            SUBJECT, text, "run redis-cli --intrinsic-latency 10 there, or write --store-deadline")
        : DoctorFinding.ok(SUBJECT, text);
  }

  private static DoctorFinding storeFailureFinding(String reason) {
    String help =
        reason.contains("NOPERM") || reason.contains("permission")
            ? "run ACL SETUSER name ~weir:* +@read +@write +@scripting +@connection +time"
            : "look at its log";
    return DoctorFinding.problem(
        "decisions", "the store does not decide: " + FindingFormat.singleLine(reason), help);
  }

  /** Hears why the store did not answer. */
  private final class LastFailureListener implements StoreListener {
    @Override
    public void onFailure(StoreException.StoreFailureKind kind, String reason) {
      lastFailure = reason;
    }
  }
}
