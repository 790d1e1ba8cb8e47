package io.weir.redis;

import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Mode;
import io.weir.store.Outcome;
import io.weir.store.Store;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How these tests ask a store. */
final class Asking {
  /** The deadline under which faults are judged. */
  static final Duration D = Duration.ofMillis(50);

  /** The deadline where only counting is judged, which a busy machine must not disturb. */
  static final Duration PATIENT = Duration.ofSeconds(20);

  /** How long to wait for what must come, where nobody was promised when. */
  static final Duration LONG = Duration.ofSeconds(30);

  /** A user whom a server lets run scripts but not functions; a setting of redis.conf. */
  static final String WITHOUT_FUNCTIONS = "user plain on >pw ~* &* +@all -function -fcall";

  private Asking() {}

  /** Opens a store, and returns when it has joined its server, however long that may take here. */
  static RedisStore joined(RedisStore.Builder one) {
    RedisStore store = one.open();
    if (!Soon.comes(LONG, () -> store.health().available())) {
      String state = store.health().state();
      store.close();
      throw new AssertionError("not joined: " + state);
    }
    return store;
  }

  /** How long this machine needs now to open a store and to ask it: what tells it from others. */
  static Duration opening(RedisProcess redis) {
    Rule rule = budget("opening", 1, Posture.CLOSED);
    long began = Load.now();
    try (RedisStore store = joined(RedisStore.at(redis.uri()).deadline(PATIENT))) {
      peek(store, rule, "x");
      return Duration.ofNanos((Load.now() - began) * 1000);
    }
  }

  /** So many permits, none of which comes back while a test runs. */
  static Rule budget(String id, long permits, Posture posture) {
    return Rule.named(id).limit("1/hour").burst(permits).onStoreFailure(posture).build();
  }

  static String withoutFunctions(RedisProcess redis) {
    return "redis://plain:pw@127.0.0.1:" + redis.port();
  }

  static Claim claim(Store store, Rule rule, String caller, long cost) {
    return Claim.of(rule.limits().get(0), store.fingerprint().of(caller), cost);
  }

  static Outcome take(Store store, Rule rule, String caller, long cost) {
    return ask(store, Mode.TAKE, rule, caller, cost);
  }

  static Outcome peek(Store store, Rule rule, String caller) {
    return ask(store, Mode.PEEK, rule, caller, 1);
  }

  private static Outcome ask(Store store, Mode mode, Rule rule, String caller, long cost) {
    return store.take(new Claim[] {claim(store, rule, caller, cost)}, mode).join()[0];
  }

  /** How many of so many attempts are admitted; none may be degraded. */
  static int admitted(Store store, Rule rule, String caller, int attempts) {
    int admitted = 0;
    for (int i = 0; i < attempts; i++) {
      Outcome o = take(store, rule, caller, 1);
      if (o.degraded()) {
        throw new AssertionError("degraded at attempt " + i);
      }
      admitted += o.fits() ? 1 : 0;
    }
    return admitted;
  }

  /** How often a server was asked to decide; its other calls sweep, which scans. */
  static long decisions(RedisProcess redis) {
    String stats = String.valueOf(redis.command("INFO", "commandstats"));
    return calls(stats, "fcall") - calls(stats, "hscan");
  }

  private static long calls(String stats, String command) {
    Matcher m = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)").matcher(stats);
    return m.find() ? Long.parseLong(m.group(1)) : 0;
  }

  /** How many permits the store says a caller has used; waits until it answers. */
  static long used(Store store, Rule rule, String caller) {
    List<Outcome> last = new ArrayList<>();
    Soon.until(
        LONG,
        "an answer of the store",
        () -> {
          Outcome o = peek(store, rule, caller);
          last.add(o);
          return !o.degraded();
        });
    return rule.limits().get(0).most() - last.get(last.size() - 1).remaining();
  }
}
