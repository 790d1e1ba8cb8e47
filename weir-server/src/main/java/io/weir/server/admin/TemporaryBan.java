package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.Selector;
import io.weir.rule.StoreFailureFallback;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A rule that refuses one caller for a time: a temporary ban.
 *
 * <p>Its limit is one nobody reaches; what refuses is a debt, charged once, that takes the time to
 * be paid back. So the end needs nobody to be there: a refusal that its makers forget, or whose
 * node dies, is over when it was to be. While the store is away the rule itself refuses (fail
 * closed), so its id ends with the second at which it ends: from then on no node enforces it
 * ({@link ActiveRules}), and one of them deletes it.
 */
final class TemporaryBan {
  private static final String ID_PREFIX = "refuse-";
  private static final Pattern ID_PATTERN =
      Pattern.compile(ID_PREFIX + "[0-9a-f]{16}-([0-9]{1,12})");

  /** How much longer than the debt the rule lives, for clocks of nodes and store that differ. */
  private static final long CLOCK_MARGIN_SECONDS = 2;

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long PERMITS_PER_SECOND = 100_000;
  private static final Duration MAX_DURATION = Duration.ofDays(30);
  private static final int ID_BYTES = 8;

  private TemporaryBan() {}

  /**
   * @param now the wall clock, in microseconds
   * @throws IllegalArgumentException if nobody is named, or somebody a rule cannot name
   */
  static Rule create(Map<String, String> caller, Duration time, long now) {
    if (caller.isEmpty()) {
      throw new IllegalArgumentException("nobody is named; send whom to refuse, as ?user=42");
    }
    if (time.toSeconds() < 1 || time.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException("a refusal lasts from a second to 30 days");
    }
    long end = now / MICROS_PER_SECOND + 1 + time.toSeconds() + CLOCK_MARGIN_SECONDS;
    RuleBuilder rule = Rule.named(idPrefix(caller) + "-" + end).match(selector(caller));
    return rule.per(caller.keySet().toArray(new String[0]))
        .limit(PERMITS_PER_SECOND + "/second")
        .burst(PERMITS_PER_SECOND * time.toSeconds())
        .onStoreFailure(StoreFailureFallback.CLOSED)
        .build();
  }

  /** What must be charged at once to a fresh counter. */
  static long initialCharge(Duration time) {
    return 2 * PERMITS_PER_SECOND * time.toSeconds() - 1;
  }

  /** What the ids of all rules that refuse a caller begin with. */
  private static String idPrefix(Map<String, String> caller) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(caller)
        .forEach((name, value) -> text.append(name).append('\n').append(value).append('\n'));
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.toString().getBytes(UTF_8));
      return ID_PREFIX + HexFormat.of().formatHex(digest, 0, ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static boolean isBan(Rule rule) {
    return rule.id().startsWith(ID_PREFIX)
        && ID_PATTERN.matcher(rule.id()).matches()
        && rule.id().startsWith(idPrefix(caller(rule)) + "-");
  }

  /** Whether a rule refuses this caller for a time. */
  static boolean isBanOf(Rule rule, Map<String, String> caller) {
    return isBan(rule) && caller(rule).equals(caller);
  }

  /**
   * When a rule that {@link #isBan} one of these ends, by the wall clock in microseconds; from then
   * on it must not be enforced.
   */
  static long endMicros(Rule rule) {
    Matcher id = ID_PATTERN.matcher(rule.id());
    if (!id.matches()) {
      throw new IllegalArgumentException(rule.id() + " is no temporary ban");
    }
    return Long.parseLong(id.group(1)) * MICROS_PER_SECOND;
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
          if (value.contains("*")) {
            throw new IllegalArgumentException(
                name
                    + " has a *, which would match other callers too; refuse the caller by another"
                    + " attribute, such as its ip or api_key");
          }
          patterns.put(name, List.of(value));
        });
    return Selector.of(patterns);
  }
}
