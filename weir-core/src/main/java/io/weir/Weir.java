package io.weir;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The front door: makes limiters.
 *
 * <pre>{@code
 * Limiter limiter = Weir.inMemory(Rule.named("api").per("user").limit("100/minute").build());
 * Decision d = limiter.decideNow(Request.of("user", "42"));
 * }</pre>
 */
public final class Weir {

  private Weir() {}

  /** A limiter that counts in this JVM's memory. */
  public static Limiter inMemory(Rule... rules) {
    return inMemory(RuleSet.of(rules));
  }

  /** A limiter that counts in this JVM's memory, under rules that may be replaced. */
  public static Limiter inMemory(RuleSource rules) {
    return limiter(rules).build();
  }

  /** Begins a limiter with other parts than the default ones. */
  public static LimiterBuilder limiter(RuleSource rules) {
    return new LimiterBuilder(rules);
  }

  /** A limiter in the making. */
  public static final class LimiterBuilder {
    private final RuleSource rules;
    private final List<DecisionListener> listeners = new ArrayList<>();
    private Clock clock = Clock.system();
    private @Nullable Store store;

    private LimiterBuilder(RuleSource rules) {
      this.rules = rules;
    }

    /** Where counters live; this JVM's memory if not said. */
    public LimiterBuilder store(Store one) {
      store = one;
      return this;
    }

    /** The time of the memory store and of reservations; this machine's if not said. */
    public LimiterBuilder clock(Clock one) {
      clock = one;
      return this;
    }

    public LimiterBuilder listener(DecisionListener one) {
      listeners.add(one);
      return this;
    }

    public Limiter build() {
      Store chosen = store == null ? new MemoryStore(clock) : store;
      return new DefaultLimiter(rules, chosen, clock, listeners, CancellableScheduler.SYSTEM);
    }
  }
}
