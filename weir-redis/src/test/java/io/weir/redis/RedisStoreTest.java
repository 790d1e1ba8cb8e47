package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.countAdmitted;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static io.weir.redis.RedisStoreTestSupport.take;
import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.cluster.SlotHash;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.Weir;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import io.weir.testkit.FakeClock;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Behavior of the Redis store beyond the store contract: the number of calls, and remembered
 * refusals.
 */
class RedisStoreTest {
  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void clear() {
    redis.command("FLUSHALL");
  }

  @Test
  void requestWithSeveralRules_isOneRoundTrip() {
    try (RedisStore store = open()) {
      Rule request = budget("one", 5, StoreFailureFallback.CLOSED);
      Rule two = budget("two", 3, StoreFailureFallback.CLOSED);
      Rule all = budget("all", 100, StoreFailureFallback.CLOSED);
      Claim[] claims = {
        claim(store, request, "x", 1), claim(store, two, "x", 1), claim(store, all, "everyone", 1)
      };
      long before = decisionCalls();
      for (int i = 0; i < 3; i++) {
        assertThat(store.apply(claims, StoreOperation.TAKE).join())
            .allMatch(ClaimOutcome::admitted);
      }
      assertThat(decisionCalls() - before).isEqualTo(3);
    }
  }

  @Test
  void equalRequests_shareCallsAndAreGrantedExactly() {
    try (RedisStore store = open()) {
      Rule rule = budget("hot", 1500, StoreFailureFallback.CLOSED);
      List<CompletableFuture<ClaimOutcome[]>> answers = new ArrayList<>();
      long before = decisionCalls();
      for (int i = 0; i < 4000; i++) {
        answers.add(store.apply(new Claim[] {claim(store, rule, "x", 1)}, StoreOperation.TAKE));
      }
      long granted = answers.stream().filter(answer -> answer.join()[0].admitted()).count();
      assertThat(granted).isEqualTo(1500);
      assertThat(decisionCalls() - before).isLessThan(1000);
    }
  }

  @Test
  void concurrentRequests_travelInTwoBatchesOfEqualSize() {
    redis.command(
        "CONFIG", "SET", "slowlog-log-slower-than", "0", "slowlog-max-len", "500"); // logs all
    Rule rule = budget("many", 1000, StoreFailureFallback.CLOSED);
    AtomicInteger requests = new AtomicInteger();
    try (RedisStore store = open()) {
      List<CompletableFuture<?>> ended = new ArrayList<>();
      for (int i = 0; i < 256; i++) {
        CompletableFuture<?> end = new CompletableFuture<>();
        ended.add(end);
        keepTaking(store, rule, requests, end);
      }
      Await.until(
          RedisStoreTestSupport.AWAIT_TIMEOUT, "a steady load", () -> requests.get() > 60_000);
      List<Integer> sizes = countersPerCall((List<?>) redis.command("SLOWLOG", "GET", "500"));
      requests.set(Integer.MIN_VALUE);
      ended.forEach(CompletableFuture::join);
      assertThat(sizes).hasSizeGreaterThan(50);
      assertThat(sizes.subList(sizes.size() / 4, sizes.size() * 3 / 4))
          .as("the middle half of %s", sizes)
          .allMatch(size -> size > 90 && size < 170);
    } finally {
      redis.command("CONFIG", "SET", "slowlog-log-slower-than", "10000");
    }
  }

  /** Takes permits for one caller after another, until the count of requests is negative. */
  private static void keepTaking(
      RedisStore store, Rule rule, AtomicInteger requests, CompletableFuture<?> end) {
    int i = requests.getAndIncrement();
    if (i < 0) {
      end.complete(null);
      return;
    }
    Claim[] claims = {claim(store, rule, "u" + i % 10_000, 1)};
    var unused =
        store
            .apply(claims, StoreOperation.TAKE)
            .thenRun(() -> keepTaking(store, rule, requests, end));
  }

  /** Returns the number of counters of each logged call, in ascending order. */
  private static List<Integer> countersPerCall(@Nullable List<?> log) {
    Pattern keys = Pattern.compile("\\((\\d+) more bytes\\)$", Pattern.DOTALL);
    List<Integer> sizes = new ArrayList<>();
    for (Object entry : Objects.requireNonNull(log)) {
      List<?> call = (List<?>) ((List<?>) entry).get(3);
      if (call.size() == 8) { // FCALL name 1 shard header limits requests keys (truncated)
        Matcher matcher = keys.matcher(String.valueOf(call.get(7)));
        sizes.add(matcher.find() ? (128 + Integer.parseInt(matcher.group(1))) / 8 : 16);
      }
    }
    Collections.sort(sizes);
    return sizes;
  }

  @Test
  void refusedCaller_isAnsweredLocallyUntilExactRetryTime() {
    FakeClock clock = new FakeClock();
    try (RedisStore store = openAndAwait(storeWithLongDeadline().storeClock(clock))) {
      Rule rule = Rule.named("r").limit("10/second").build();
      assertThat(take(store, rule, "x", 10).admitted()).isTrue();
      assertThat(take(store, rule, "x", 1).retryAfter()).isEqualTo(100_000);
      long before = decisionCalls();
      clock.advance(Duration.ofMillis(99));
      for (int i = 0; i < 1000; i++) {
        ClaimOutcome outcome = take(store, rule, "x", 1);
        assertThat(outcome.admitted()).isFalse();
        assertThat(outcome.retryAfter()).isEqualTo(1000);
      }
      assertThat(take(store, rule, "x", 2).admitted()).as("a request with another cost").isFalse();
      assertThat(decisionCalls() - before).isEqualTo(1);
      clock.advance(Duration.ofMillis(1));
      assertThat(take(store, rule, "x", 1).admitted()).isTrue();
    }
  }

  @Test
  void refund_takesEffectAtOnceHereAndWithinOneSecondElsewhere() {
    try (RedisStore here = open();
        RedisStore there = open()) {
      Rule rule = budget("r", 5, StoreFailureFallback.CLOSED);
      Claim[] five = {claim(here, rule, "x", 5)};
      assertThat(take(here, rule, "x", 5).admitted()).isTrue();
      assertThat(take(here, rule, "x", 1).admitted()).isFalse();
      assertThat(take(there, rule, "x", 1).admitted()).isFalse();
      here.apply(five, StoreOperation.REFUND).join();
      assertThat(take(here, rule, "x", 1).admitted()).isTrue();
      Await.until(
          Duration.ofSeconds(1),
          "an admission on the other node",
          () -> take(there, rule, "x", 1).admitted());
    }
  }

  @Test
  void resetOfOneRule_takesEffectWithinOneSecondOnEveryNode() {
    try (RedisStore here = open();
        RedisStore there = open()) {
      RuleSet rules =
          RuleSet.of(
              budget("r", 5, StoreFailureFallback.CLOSED).edit().per("user").build(),
              budget("other", 100, StoreFailureFallback.CLOSED).edit().per("user").build());
      Limiter first = Weir.limiter(rules).store(here).build();
      Limiter second = Weir.limiter(rules).store(there).build();
      Request request = Request.of("user", "x");
      assertThat(first.decideNow(request.cost(5)).allowed()).isTrue();
      assertThat(first.decideNow(request).allowed()).isFalse();
      assertThat(second.decideNow(request).allowed()).isFalse();

      Limiter operator = Weir.limiter(rules.onlyRule("r")).store(here).build();
      Decision reset = operator.reset(request).join();
      assertThat(reset.degraded()).isFalse();
      assertThat(reset.remaining()).isEqualTo(5);
      for (Limiter node : List.of(first, second)) {
        Await.until(
            Duration.ofSeconds(1),
            "an admission on a node",
            () -> node.decideNow(request).allowed());
      }
      assertThat(first.peek(request).join().rules())
          .extracting("remaining")
          .containsExactly(3L, 93L);
    }
  }

  @Test
  void raisedLimit_admitsRefusedCallerAtOnce() {
    try (RedisStore store = open()) {
      Rule rule = budget("r", 5, StoreFailureFallback.CLOSED);
      assertThat(countAdmitted(store, rule, "x", 10)).isEqualTo(5);
      assertThat(countAdmitted(store, rule.edit().burst(8).build(), "x", 10)).isEqualTo(3);
    }
  }

  @Test
  void shards_areSpreadOverClusterSlots() {
    int[] thirds = new int[3];
    for (int i = 0; i < 1024; i++) {
      thirds[SlotHash.getSlot("weir:{" + Integer.toHexString(i) + "}") * 3 / 16384]++;
    }
    assertThat(Arrays.stream(thirds).min().orElseThrow()).isGreaterThan(1024 * 8 / 30);
  }

  private static RedisStore.Builder storeWithLongDeadline() {
    return RedisStore.at(redis.uri()).deadline(RedisStoreTestSupport.LONG_DEADLINE);
  }

  private static RedisStore open() {
    return openAndAwait(storeWithLongDeadline());
  }

  private static long decisionCalls() {
    return RedisStoreTestSupport.decisionCalls(redis);
  }
}
