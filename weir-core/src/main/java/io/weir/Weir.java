package io.weir;

import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.store.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Entry point of the library: creates limiters.
 *
 * <pre>{@code
 * Limiter limiter = Weir.inMemory(Rule.named("api").per("user").limit("100/minute").build());
 * Decision d = limiter.decideNow(Request.of("user", "42"));
 * }</pre>
 */
public final class Weir {

  private Weir() {}

  /** Creates a limiter that counts in the memory of this JVM. */
  public static Limiter inMemory(Rule... rules) {
    return inMemory(RuleSet.of(rules));
  }

  /** Creates a limiter that counts in the memory of this JVM, with rules that can be replaced. */
  public static Limiter inMemory(RuleSource rules) {
    return limiter(rules).build();
  }

  /**
   * Creates a store in the memory of this JVM with the counters that {@link #saveCounters} wrote.
   * Time goes on between the runs. The store is empty if there is no file, or if it cannot be read,
   * which is logged as a warning.
   */
  public static Store loadCounters(Path file) {
    return MemoryStore.load(file, Clock.system());
  }

  /**
   * Writes all counters of a store in memory to a file, which is replaced atomically.
   *
   * @throws IOException if the file cannot be written; the old file stays
   */
  public static void saveCounters(Store store, Path file) throws IOException {
    ((MemoryStore) store).save(file);
  }

  /** Starts building a limiter with a store, clock or listeners other than the defaults. */
  public static LimiterBuilder limiter(RuleSource rules) {
    return new LimiterBuilder(rules);
  }

  /** Builds a {@link Limiter}. */
  public static final class LimiterBuilder {
    private final RuleSource rules;
    private final List<DecisionListener> listeners = new ArrayList<>();
    private @Nullable Clock clock;
    private @Nullable ClaimStore store;

    private LimiterBuilder(RuleSource rules) {
      this.rules = rules;
    }

    /** Sets the store that holds the counters; by default the memory of this JVM. */
    public LimiterBuilder store(Store one) {
      store = (ClaimStore) one;
      return this;
    }

    /** Sets the clock of the memory store and of reservations; by default the system clock. */
    public LimiterBuilder clock(Clock one) {
      clock = one;
      return this;
    }

    public LimiterBuilder listener(DecisionListener one) {
      listeners.add(one);
      return this;
    }

    public Limiter build() {
      Clock time = clock == null ? Clock.system() : clock;
      Clock timer = clock == null ? Clock.monotonic() : clock;
      ClaimStore chosen = store == null ? new MemoryStore(time) : store;
      return new DefaultLimiter(rules, chosen, time, timer, listeners, CancellableScheduler.SYSTEM);
    }
  }
}
