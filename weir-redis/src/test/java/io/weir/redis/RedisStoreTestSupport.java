package io.weir.redis;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.CompiledRule;
import io.weir.internal.store.ClaimOutcome;
import io.weir.internal.store.ClaimStore;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Helpers of the Redis store tests: opening stores, building rules and taking permits. */
final class RedisStoreTestSupport {
  /** The deadline of tests that inject faults. */
  static final Duration FAULT_DEADLINE = Duration.ofMillis(50);

  /** The deadline of tests that only check counts, which a busy machine must not disturb. */
  static final Duration LONG_DEADLINE = Duration.ofSeconds(20);

  /** How long to wait for a condition that has no promised time. */
  static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(30);

  /** A line of redis.conf with a user who may run scripts but not functions. */
  static final String ACL_WITHOUT_FUNCTIONS = "user plain on >pw ~* &* +@all -function -fcall";

  private RedisStoreTestSupport() {}

  /** Opens a store and waits until it is available. */
  static RedisStore openAndAwait(RedisStore.Builder builder) {
    RedisStore store = builder.open();
    if (!Await.isTrueWithin(AWAIT_TIMEOUT, () -> store.health().available())) {
      String state = store.health().state();
      store.close();
      throw new AssertionError("store not available: " + state);
    }
    return store;
  }

  /** Measures how long this machine now takes to open a store and make one call. */
  static Duration measureOpenTime(RedisProcess redis) {
    Rule rule = budget("opening", 1, StoreFailureFallback.CLOSED);
    long startMicros = RedisLoadGenerator.nowMicros();
    try (RedisStore store = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE))) {
      peek(store, rule, "x");
      return Duration.ofNanos((RedisLoadGenerator.nowMicros() - startMicros) * 1000);
    }
  }

  /** Returns a rule with so many permits, none of which comes back during a test. */
  static Rule budget(String id, long permits, StoreFailureFallback fallback) {
    return Rule.named(id).limit("1/hour").burst(permits).onStoreFailure(fallback).build();
  }

  static String uriWithoutFunctions(RedisProcess redis) {
    return "redis://plain:pw@127.0.0.1:" + redis.port();
  }

  static Claim claim(ClaimStore store, Rule rule, String caller, long cost) {
    return Claim.of(CompiledRule.of(rule).limits().get(0), store.fingerprint().of(caller), cost);
  }

  static ClaimOutcome take(ClaimStore store, Rule rule, String caller, long cost) {
    return apply(store, StoreOperation.TAKE, rule, caller, cost);
  }

  static ClaimOutcome peek(ClaimStore store, Rule rule, String caller) {
    return apply(store, StoreOperation.PEEK, rule, caller, 1);
  }

  private static ClaimOutcome apply(
      ClaimStore store, StoreOperation operation, Rule rule, String caller, long cost) {
    return store.apply(new Claim[] {claim(store, rule, caller, cost)}, operation).join()[0];
  }

  /** Counts how many of a number of attempts are admitted; none may be degraded. */
  static int countAdmitted(ClaimStore store, Rule rule, String caller, int attempts) {
    int admitted = 0;
    for (int i = 0; i < attempts; i++) {
      ClaimOutcome outcome = take(store, rule, caller, 1);
      if (outcome.degraded()) {
        throw new AssertionError("degraded at attempt " + i);
      }
      admitted += outcome.admitted() ? 1 : 0;
    }
    return admitted;
  }

  /** Counts the decision calls of a server: function calls without the sweeps, which scan. */
  static long decisionCalls(RedisProcess redis) {
    String stats = String.valueOf(redis.command("INFO", "commandstats"));
    return commandCalls(stats, "fcall") - commandCalls(stats, "hscan");
  }

  private static long commandCalls(String stats, String command) {
    Matcher matcher = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)").matcher(stats);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  /** Returns the permits a caller has used; waits until the store is available. */
  static long usedPermits(ClaimStore store, Rule rule, String caller) {
    List<ClaimOutcome> outcomes = new ArrayList<>();
    Await.until(
        AWAIT_TIMEOUT,
        "a reply of the store",
        () -> {
          ClaimOutcome outcome = peek(store, rule, caller);
          outcomes.add(outcome);
          return !outcome.degraded();
        });
    return CompiledRule.of(rule).limits().get(0).capacity()
        - outcomes.get(outcomes.size() - 1).remaining();
  }
}
