package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.algorithm.Algorithm;
import io.weir.internal.algorithm.Algorithms;
import io.weir.internal.algorithm.LimitParameters;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.rule.Limit;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.MemoryStore;
import io.weir.store.StoreOperation;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The memory store equals exact arithmetic: a million steps compared with models that follow the
 * definitions, in rational numbers that cannot overflow or round.
 */
class ExactModelTest {
  private static final int STEPS = 1_000_000;
  private static final int STEPS_PER_LIMIT = 2_000;

  static Stream<Algorithm> algorithms() {
    return Algorithms.all().stream();
  }

  @ParameterizedTest
  @MethodSource("algorithms")
  void everyStep_isExact(Algorithm algorithm) {
    long seed = RandomHistory.seed();
    RandomHistory history = new RandomHistory(seed);
    for (int step = 0; step < STEPS; step += STEPS_PER_LIMIT) {
      Limit limit = limit(history, algorithm);
      LimitParameters t = limit.parameters();
      ExactModel model = model(algorithm, t);
      FakeClock clock = new FakeClock();
      MemoryStore store = new MemoryStore(clock, 16 << 20);
      for (int i = 0; i < STEPS_PER_LIMIT; i++) {
        long now = history.nextForward(t);
        clock.set(now);
        long cost = history.cost(limit.capacity());
        model.advance(now);
        boolean admitted = cost <= model.available(now);
        long delay = admitted ? model.delay(now) : 0;
        if (admitted) {
          model.take(now, cost);
        }
        ClaimOutcome o =
            store.apply(new Claim[] {new Claim(limit, 1, cost)}, StoreOperation.TAKE).join()[0];
        assertThat(List.of(o.admitted(), o.remaining(), o.delay()))
            .as("-Dweir.seed=%d: %s at step %d", seed, t, step + i)
            .isEqualTo(List.of(admitted, model.available(now), delay));
      }
    }
  }

  /** A limit whose windows are weighted by the microsecond, like the definition. */
  private static Limit limit(RandomHistory history, Algorithm algorithm) {
    Limit limit;
    do {
      limit = CompiledRule.of(history.rule("model", algorithm).build()).limits().get(0);
    } while (limit.parameters().sliceCount() != limit.parameters().periodMicros()
        && algorithm.name().equals("sliding-counter"));
    return limit;
  }

  private static ExactModel model(Algorithm algorithm, LimitParameters t) {
    return switch (algorithm.name()) {
      case "token-bucket" -> new ExactBucket(t, false);
      case "leaky-bucket" -> new ExactBucket(t, true);
      case "fixed-window" -> new ExactWindow(t);
      case "sliding-log" -> new ExactLog(t);
      case "sliding-counter" -> new ExactCounter(t);
      default -> throw new AssertionError("write a model of " + algorithm.name());
    };
  }

  /** The definition of an algorithm, as executable code. */
  private interface ExactModel {
    void advance(long now);

    long available(long now);

    void take(long now, long cost);

    default long delay(long now) {
      return 0;
    }
  }

  /** The level is in permits times the period, so a microsecond raises it by the permits. */
  private static final class ExactBucket implements ExactModel {
    private final BigInteger permits;
    private final BigInteger period;
    private final BigInteger full;
    private final boolean queue;
    private BigInteger level;
    private long time;

    ExactBucket(LimitParameters t, boolean queue) {
      permits = BigInteger.valueOf(t.permits());
      period = BigInteger.valueOf(t.periodMicros());
      full = BigInteger.valueOf(t.burst()).multiply(period);
      level = full;
      this.queue = queue;
    }

    @Override
    public void advance(long now) {
      level = level.add(BigInteger.valueOf(now - time).multiply(permits)).min(full);
      time = now;
    }

    @Override
    public long available(long now) {
      return level.divide(period).longValueExact();
    }

    @Override
    public void take(long now, long cost) {
      level = level.subtract(BigInteger.valueOf(cost).multiply(period));
    }

    @Override
    public long delay(long now) {
      BigInteger waiting = full.subtract(level).add(permits).subtract(BigInteger.ONE);
      return queue ? waiting.divide(permits).longValueExact() : 0;
    }
  }

  private static final class ExactWindow implements ExactModel {
    private final LimitParameters t;
    private long index = -1;
    private long used;

    ExactWindow(LimitParameters t) {
      this.t = t;
    }

    @Override
    public void advance(long now) {
      boolean over = now >= (index + 1) * t.periodMicros() + (used > 0 ? t.coolDownMicros() : 0);
      if (over) {
        index = now / t.periodMicros();
        used = 0;
      }
    }

    @Override
    public long available(long now) {
      return t.permits() - used;
    }

    @Override
    public void take(long now, long cost) {
      used += cost;
    }
  }

  private static final class ExactLog implements ExactModel {
    private final LimitParameters t;
    private final Deque<long[]> charges = new ArrayDeque<>();

    ExactLog(LimitParameters t) {
      this.t = t;
    }

    @Override
    public void advance(long now) {
      charges.removeIf(charge -> charge[0] + t.periodMicros() <= now);
    }

    @Override
    public long available(long now) {
      return t.permits() - charges.stream().mapToLong(charge -> charge[1]).sum();
    }

    @Override
    public void take(long now, long cost) {
      charges.add(new long[] {now, cost});
    }
  }

  private static final class ExactCounter implements ExactModel {
    private final LimitParameters t;
    private long index;
    private long used;
    private long before;

    ExactCounter(LimitParameters t) {
      this.t = t;
    }

    @Override
    public void advance(long now) {
      long next = now / t.periodMicros();
      before = next == index ? before : next == index + 1 ? used : 0;
      used = next == index ? used : 0;
      index = next;
    }

    @Override
    public long available(long now) {
      BigInteger period = BigInteger.valueOf(t.periodMicros());
      BigInteger covered = BigInteger.valueOf(t.periodMicros() - now % t.periodMicros());
      BigInteger[] weighed =
          covered.multiply(BigInteger.valueOf(before)).divideAndRemainder(period);
      long up = weighed[0].longValueExact() + weighed[1].signum();
      return Math.max(0, t.permits() - used - up);
    }

    @Override
    public void take(long now, long cost) {
      used += cost;
    }
  }
}
