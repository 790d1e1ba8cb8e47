package io.weir.bench;

import com.google.common.util.concurrent.RateLimiter;
import io.github.bucket4j.Bucket;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.internal.AtomicRateLimiter;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRuleSet;
import io.weir.internal.rule.Fingerprint;
import io.weir.internal.store.ClaimStore;
import io.weir.internal.store.MemoryStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One key, or one limiter object, shared by all threads. Run with {@code ./bench core}. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH fills the fields
public class SingleKeyBench {
  private static final int BURST = 1_000_000_000;

  @Param({"allow", "refuse"})
  public String outcome;

  private ClaimStore store;
  private Claim[] claims;
  private Limiter limiter;
  private Request request;
  private Bucket bucket4j;
  private AtomicRateLimiter resilience4j;
  private RateLimiter guava;

  @Setup
  public void setup() {
    boolean allow = outcome.equals("allow");
    int capacity = allow ? BURST : 1;
    int rate = allow ? 10_000_000 : 1;
    Duration period = allow ? Duration.ofSeconds(1) : Duration.ofDays(1);
    Rule rule =
        Rule.named("api")
            .per("user")
            .limit(rate + (allow ? "/second" : "/day"))
            .burst(capacity)
            .build();
    request = Request.of("user", "42");
    store = new MemoryStore(Clock.system());
    claims = CompiledRuleSet.of(RuleSet.of(rule)).claims(request, Fingerprint.random(), 1);
    limiter = Weir.inMemory(rule);
    bucket4j =
        Bucket.builder().addLimit(l -> l.capacity(capacity).refillGreedy(rate, period)).build();
    resilience4j =
        new AtomicRateLimiter(
            "api",
            RateLimiterConfig.custom()
                .limitForPeriod(capacity)
                .limitRefreshPeriod(period)
                .timeoutDuration(Duration.ZERO)
                .build());
    guava = RateLimiter.create(allow ? BURST : 1e-5);
    expect(true);
    check();
  }

  @TearDown
  public void check() {
    expect(outcome.equals("allow"));
  }

  private void expect(boolean expected) {
    boolean[] answers = {weirStore(), weirLimiter(), bucket4j(), resilience4j(), guava()};
    for (int i = 0; i < answers.length; i++) {
      if (answers[i] != expected) {
        throw new IllegalStateException("limiter " + i + " returned " + answers[i]);
      }
    }
  }

  @Benchmark
  public boolean weirStore() {
    return store.apply(claims, io.weir.store.StoreOperation.TAKE).join()[0].admitted();
  }

  @Benchmark
  public boolean weirLimiter() {
    return limiter.decideNow(request).allowed();
  }

  @Benchmark
  public boolean bucket4j() {
    return bucket4j.tryConsume(1);
  }

  /**
   * The only call of a peer that returns as much as Weir: permits left, wait time and reset time.
   */
  @Benchmark
  public boolean bucket4jProbe() {
    return bucket4j.tryConsumeAndReturnRemaining(1).isConsumed();
  }

  @Benchmark
  public boolean resilience4j() {
    return resilience4j.acquirePermission(1);
  }

  @Benchmark
  public boolean guava() {
    return guava.tryAcquire();
  }
}
