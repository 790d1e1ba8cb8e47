package io.weir.server.doctor;

import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.Durations;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.config.Config;
import io.weir.server.config.Settings;
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
final class DecisionsExam {
  private static final String SUBJECT = "latency";
  private static final Rule RULE =
      Rule.named("weir-doctor").per("probe").limit("1000000/second").build();
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final int WARM_UP = 200;
  private static final int DECISIONS = 500;
  private static final int CALLERS = 16;
  private static final long LONGEST_MICROS = 2_000_000;

  private final Config config;
  private final Clock timer = Clock.system();
  private volatile String failure = "";

  DecisionsExam(Config config) {
    this.config = config;
  }

  Finding finding() {
    Duration deadline = config.get(Settings.STORE_DEADLINE);
    try (RedisStore store =
            RedisStore.at(config.get(Settings.STORE))
                .deadline(deadline.compareTo(PATIENCE) > 0 ? deadline : PATIENCE)
                .prefix(config.get(Settings.STORE_PREFIX))
                .pages(config.get(Settings.STORE_PAGES))
                .listener(new Ear())
                .open();
        Limiter limiter = Weir.limiter(RuleSet.of(RULE)).store(store).build()) {
      long[] cold = take(limiter, WARM_UP);
      long[] took = cold.length == 0 ? cold : take(limiter, DECISIONS);
      if (took.length == 0) {
        return silent(store.health().available() ? failure : store.health().state());
      }
      return judged(took, deadline);
    }
  }

  /**
   * How long decisions took, in microseconds: so many, or as many as there was time for; none if
   * one was not answered.
   */
  private long[] take(Limiter limiter, int count) {
    long[] took = new long[count];
    long end = timer.micros() + LONGEST_MICROS;
    for (int i = 0; i < count; i++) {
      long asked = timer.micros();
      if (asked > end) {
        return Arrays.copyOf(took, i);
      }
      Request request = Request.of("probe", Integer.toString(i % CALLERS));
      if (limiter.decideNow(request).degraded()) {
        return new long[0];
      }
      took[i] = timer.micros() - asked;
    }
    return took;
  }

  private static Finding judged(long[] took, Duration deadline) {
    Arrays.sort(took);
    long half = took[took.length / 2];
    long most = took[took.length * 99 / 100];
    long allowed = deadline.toNanos() / 1000;
    String text =
        "a decision takes %s, one in a hundred %s; the deadline is %s"
            .formatted(Shown.millis(half), Shown.millis(most), Durations.format(deadline));
    if (half > allowed) {
      return Finding.problem(
          SUBJECT, text + ": postures answer instead", "write --store-deadline, or a nearer store");
    }
    return most > allowed
        ? Finding.warning(
            SUBJECT, text, "run redis-cli --intrinsic-latency 10 there, or write --store-deadline")
        : Finding.ok(SUBJECT, text);
  }

  private static Finding silent(String reason) {
    String help =
        reason.contains("NOPERM") || reason.contains("permission")
            ? "run ACL SETUSER name ~weir:* +@read +@write +@scripting +@connection +time"
            : "look at its log";
    return Finding.problem("decisions", "the store does not decide: " + Shown.line(reason), help);
  }

  /** Hears why the store did not answer. */
  private final class Ear implements StoreListener {
    @Override
    public void failed(StoreException.Kind kind, String reason) {
      failure = reason;
    }
  }
}
