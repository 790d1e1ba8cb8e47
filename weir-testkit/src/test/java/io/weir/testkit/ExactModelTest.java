package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Algorithms;
import io.weir.algorithm.Terms;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.store.MemoryStore;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The memory store equals exact arithmetic: a million steps beside models written from the
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
  void everyStepIsExact(Algorithm algorithm) {
    long seed = History.seed();
    History history = new History(seed);
    for (int step = 0; step < STEPS; step += STEPS_PER_LIMIT) {
      Limit limit = limit(history, algorithm);
      Terms t = limit.terms();
      Model model = model(algorithm, t);
      FakeClock clock = new FakeClock();
      MemoryStore store = new MemoryStore(clock, 16 << 20);
      for (int i = 0; i < STEPS_PER_LIMIT; i++) {
        long now = history.nextForward(t);
        clock.set(now);
        long cost = history.cost(limit.most());
        model.pass(now);
        boolean fits = cost <= model.room(now);
        long delay = fits ? model.delay(now) : 0;
        if (fits) {
          model.take(now, cost);
        }
        Outcome o = store.take(new Claim[] {new Claim(limit, 1, cost)}, Mode.TAKE).join()[0];
        assertThat(List.of(o.fits(), o.remaining(), o.delay()))
            .as("-Dweir.seed=%d: %s at step %d", seed, t, step + i)
            .isEqualTo(List.of(fits, model.room(now), delay));
      }
    }
  }

  /** A limit whose windows are weighed by the microsecond, as the definition does. */
  private static Limit limit(History history, Algorithm algorithm) {
    Limit limit;
    do {
      limit = history.rule("model", algorithm).build().limits().get(0);
    } while (limit.terms().slices() != limit.terms().period()
        && algorithm.name().equals("sliding-counter"));
    return limit;
  }

  private static Model model(Algorithm algorithm, Terms t) {
    return switch (algorithm.name()) {
      case "token-bucket" -> new Bucket(t, false);
      case "leaky-bucket" -> new Bucket(t, true);
      case "fixed-window" -> new Window(t);
      case "sliding-log" -> new Log(t);
      case "sliding-counter" -> new Counter(t);
      default -> throw new AssertionError("write a model of " + algorithm.name());
    };
  }

  /** A definition, played. */
  private interface Model {
    void pass(long now);

    long room(long now);

    void take(long now, long cost);

    default long delay(long now) {
      return 0;
    }
  }

  /** The level in permits times the period, which every microsecond raises by the permits. */
  private static final class Bucket implements Model {
    private final BigInteger permits;
    private final BigInteger period;
    private final BigInteger full;
    private final boolean queue;
    private BigInteger level;
    private long time;

    Bucket(Terms t, boolean queue) {
      permits = BigInteger.valueOf(t.permits());
      period = BigInteger.valueOf(t.period());
      full = BigInteger.valueOf(t.burst()).multiply(period);
      level = full;
      this.queue = queue;
    }

    @Override
    public void pass(long now) {
      level = level.add(BigInteger.valueOf(now - time).multiply(permits)).min(full);
      time = now;
    }

    @Override
    public long room(long now) {
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

  private static final class Window implements Model {
    private final Terms t;
    private long index = -1;
    private long used;

    Window(Terms t) {
      this.t = t;
    }

    @Override
    public void pass(long now) {
      boolean over = now >= (index + 1) * t.period() + (used > 0 ? t.coolDown() : 0);
      if (over) {
        index = now / t.period();
        used = 0;
      }
    }

    @Override
    public long room(long now) {
      return t.permits() - used;
    }

    @Override
    public void take(long now, long cost) {
      used += cost;
    }
  }

  private static final class Log implements Model {
    private final Terms t;
    private final Deque<long[]> charges = new ArrayDeque<>();

    Log(Terms t) {
      this.t = t;
    }

    @Override
    public void pass(long now) {
      charges.removeIf(charge -> charge[0] + t.period() <= now);
    }

    @Override
    public long room(long now) {
      return t.permits() - charges.stream().mapToLong(charge -> charge[1]).sum();
    }

    @Override
    public void take(long now, long cost) {
      charges.add(new long[] {now, cost});
    }
  }

  private static final class Counter implements Model {
    private final Terms t;
    private long index;
    private long used;
    private long before;

    Counter(Terms t) {
      this.t = t;
    }

    @Override
    public void pass(long now) {
      long next = now / t.period();
      before = next == index ? before : next == index + 1 ? used : 0;
      used = next == index ? used : 0;
      index = next;
    }

    @Override
    public long room(long now) {
      BigInteger period = BigInteger.valueOf(t.period());
      BigInteger covered = BigInteger.valueOf(t.period() - now % t.period());
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
