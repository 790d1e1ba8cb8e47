package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.Selector;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A rule that refuses one caller for a time and then nobody, ever.
 *
 * <p>Its limit is one nobody reaches; what refuses is a debt, charged once, that takes the time to
 * be paid back. So the end needs nobody to be there: a refusal that its makers forget, or whose
 * node dies, is over when it was to be. The debt is the caller's own even where the selector, which
 * knows no way to write a star, meets others too.
 */
final class Hold {
  private static final String PREFIX = "refuse-";
  private static final long PER_SECOND = 100_000;
  private static final Duration LONGEST = Duration.ofDays(30);
  private static final int ID_BYTES = 8;

  private Hold() {}

  static Rule rule(Map<String, String> caller, Duration time) {
    if (caller.isEmpty()) {
      throw new IllegalArgumentException("nobody is named; send whom to refuse, as ?user=42");
    }
    if (time.toSeconds() < 1 || time.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("a refusal lasts from a second to 30 days");
    }
    RuleBuilder rule = Rule.named(id(caller)).match(selector(caller));
    return rule.per(caller.keySet().toArray(new String[0]))
        .limit(PER_SECOND + "/second")
        .burst(PER_SECOND * time.toSeconds())
        .onStoreFailure(Posture.CLOSED)
        .build();
  }

  /** What must be charged at once to a fresh counter. */
  static long cost(Duration time) {
    return 2 * PER_SECOND * time.toSeconds() - 1;
  }

  static String id(Map<String, String> caller) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(caller)
        .forEach((name, value) -> text.append(name).append('\n').append(value).append('\n'));
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(UTF_8));
      return PREFIX + HexFormat.of().formatHex(digest, 0, ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static boolean is(Rule rule) {
    return rule.id().matches(PREFIX + "[0-9a-f]{16}") && rule.id().equals(id(caller(rule)));
  }

  static Map<String, String> caller(Rule rule) {
    Map<String, String> caller = new LinkedHashMap<>();
    rule.match().patterns().forEach((name, values) -> caller.put(name, values.get(0)));
    return caller;
  }

  private static Selector selector(Map<String, String> caller) {
    Map<String, List<String>> patterns = new LinkedHashMap<>();
    caller.forEach(
        (name, value) -> {
          if (value.startsWith("!")) {
            throw new IllegalArgumentException(
                name + " begins with !, which selects all others; write a rule by hand");
          }
          patterns.put(name, List.of(value));
        });
    return Selector.of(patterns);
  }
}
