package io.weir.redis;

import io.weir.rule.Claim;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.ClaimOutcome;
import io.weir.store.Store;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How these tests ask a store. */
final class RedisStoreTestSupport {
  /** The deadline under which faults are judged. */
  static final Duration FAULT_DEADLINE = Duration.ofMillis(50);

  /** The deadline where only counting is judged, which a busy machine must not disturb. */
  static final Duration LONG_DEADLINE = Duration.ofSeconds(20);

  /** How long to wait for what must come, where nobody was promised when. */
  static final Duration AWAIT_TIMEOUT = Duration.ofSeconds(30);

  /** A user whom a server lets run scripts but not functions; a setting of redis.conf. */
  static final String ACL_WITHOUT_FUNCTIONS = "user plain on >pw ~* &* +@all -function -fcall";

  private RedisStoreTestSupport() {}

  /** Opens a store, and returns when it has joined its server, however long that may take here. */
  static RedisStore openAndAwait(RedisStore.Builder one) {
    RedisStore store = one.open();
    if (!Await.isTrueWithin(AWAIT_TIMEOUT, () -> store.health().available())) {
      String state = store.health().state();
      store.close();
      throw new AssertionError("not joined: " + state);
    }
    return store;
  }

  /** How long this machine needs now to open a store and to ask it: what tells it from others. */
  static Duration measureOpenTime(RedisProcess redis) {
    Rule rule = budget("opening", 1, StoreFailureFallback.CLOSED);
    long began = RedisLoadGenerator.nowMicros();
    try (RedisStore store = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE))) {
      peek(store, rule, "x");
      return Duration.ofNanos((RedisLoadGenerator.nowMicros() - began) * 1000);
    }
  }

  /** So many permits, none of which comes back while a test runs. */
  static Rule budget(String id, long permits, StoreFailureFallback posture) {
    return Rule.named(id).limit("1/hour").burst(permits).onStoreFailure(posture).build();
  }

  static String uriWithoutFunctions(RedisProcess redis) {
    return "redis://plain:pw@127.0.0.1:" + redis.port();
  }

  static Claim claim(Store store, Rule rule, String caller, long cost) {
    return Claim.of(rule.limits().get(0), store.fingerprint().of(caller), cost);
  }

  static ClaimOutcome take(Store store, Rule rule, String caller, long cost) {
    return apply(store, StoreOperation.TAKE, rule, caller, cost);
  }

  static ClaimOutcome peek(Store store, Rule rule, String caller) {
    return apply(store, StoreOperation.PEEK, rule, caller, 1);
  }

  private static ClaimOutcome apply(
      Store store, StoreOperation mode, Rule rule, String caller, long cost) {
    return store.apply(new Claim[] {claim(store, rule, caller, cost)}, mode).join()[0];
  }

  /** How many of so many attempts are admitted; none may be degraded. */
  static int countAdmitted(Store store, Rule rule, String caller, int attempts) {
    int admitted = 0;
    for (int i = 0; i < attempts; i++) {
      ClaimOutcome o = take(store, rule, caller, 1);
      if (o.degraded()) {
        throw new AssertionError("degraded at attempt " + i);
      }
      admitted += o.admitted() ? 1 : 0;
    }
    return admitted;
  }

  /** How often a server was asked to decide; its other calls sweep, which scans. */
  static long decisionCalls(RedisProcess redis) {
    String stats = String.valueOf(redis.command("INFO", "commandstats"));
    return commandCalls(stats, "fcall") - commandCalls(stats, "hscan");
  }

  private static long commandCalls(String stats, String command) {
    Matcher m = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)").matcher(stats);
    return m.find() ? Long.parseLong(m.group(1)) : 0;
  }

  /** How many permits the store says a caller has used; waits until it answers. */
  static long usedPermits(Store store, Rule rule, String caller) {
    List<ClaimOutcome> last = new ArrayList<>();
    Await.until(
        AWAIT_TIMEOUT,
        "an answer of the store",
        () -> {
          ClaimOutcome o = peek(store, rule, caller);
          last.add(o);
          return !o.degraded();
        });
    return rule.limits().get(0).capacity() - last.get(last.size() - 1).remaining();
  }
}
