package io.weir.admin;

import io.weir.internal.Sha256;
import io.weir.rule.Rule;
import io.weir.rule.RuleBuilder;
import io.weir.rule.Selector;
import io.weir.rule.StoreFailureFallback;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Creates and recognizes temporary bans: rules that refuse one caller for a limited time.
 *
 * <p>The rule has a limit that is never reached. The caller is refused because of a debt that is
 * charged once and takes the duration of the ban to be repaid. So the ban ends by itself, even if
 * the node that created it dies. While the store is unavailable the rule fails closed; therefore
 * the rule id ends with the second at which the ban ends: from then on no node enforces the rule
 * ({@link ActiveRules}), and one of them deletes it.
 */
public final class TemporaryBan {
  private static final String ID_PREFIX = "refuse-";
  private static final Pattern ID_PATTERN =
      Pattern.compile(ID_PREFIX + "[0-9a-f]{16}-([0-9]{1,12})");

  /** How long the rule outlives the debt, to allow for clock differences of nodes and store. */
  private static final long CLOCK_MARGIN_SECONDS = 2;

  private static final long MICROS_PER_SECOND = 1_000_000;
  private static final long PERMITS_PER_SECOND = 100_000;
  private static final Duration MAX_DURATION = Duration.ofDays(30);
  private static final int ID_BYTES = 8;

  private TemporaryBan() {}

  /**
   * Creates the rule that bans a caller.
   *
   * @param nowMicros the wall clock, in microseconds
   * @throws IllegalArgumentException if the caller is empty or a rule cannot select it
   */
  static Rule create(Map<String, String> caller, Duration duration, long nowMicros) {
    if (caller.isEmpty()) {
      throw new IllegalArgumentException(
          "the caller is missing; name it by its attributes, for example ?user=42");
    }
    if (duration.toSeconds() < 1 || duration.compareTo(MAX_DURATION) > 0) {
      throw new IllegalArgumentException("a ban must last 1s to 30d");
    }
    long endSeconds =
        nowMicros / MICROS_PER_SECOND + 1 + duration.toSeconds() + CLOCK_MARGIN_SECONDS;
    RuleBuilder rule = Rule.named(idPrefix(caller) + "-" + endSeconds).match(selector(caller));
    return rule.per(caller.keySet().toArray(new String[0]))
        .limit(PERMITS_PER_SECOND + "/second")
        .burst(PERMITS_PER_SECOND * duration.toSeconds())
        .onStoreFailure(StoreFailureFallback.CLOSED)
        .build();
  }

  /** Returns the cost to charge once to a fresh counter so that it is refused for the duration. */
  static long initialCharge(Duration duration) {
    return 2 * PERMITS_PER_SECOND * duration.toSeconds() - 1;
  }

  /** Returns the prefix of the ids of all bans of a caller. */
  private static String idPrefix(Map<String, String> caller) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(caller)
        .forEach((name, value) -> text.append(name).append('\n').append(value).append('\n'));
    return ID_PREFIX + HexFormat.of().formatHex(Sha256.digest(text.toString()), 0, ID_BYTES);
  }

  /** Returns whether a rule is a temporary ban. */
  public static boolean isBan(Rule rule) {
    return rule.id().startsWith(ID_PREFIX)
        && ID_PATTERN.matcher(rule.id()).matches()
        && rule.id().startsWith(idPrefix(caller(rule)) + "-");
  }

  /** Returns whether a rule is a ban of this caller. */
  static boolean isBanOf(Rule rule, Map<String, String> caller) {
    return isBan(rule) && caller(rule).equals(caller);
  }

  /**
   * Returns when a ban ends, in wall-clock microseconds. From then on the rule must not be
   * enforced.
   *
   * @throws IllegalArgumentException if the rule is not a ban
   */
  public static long endMicros(Rule rule) {
    Matcher id = ID_PATTERN.matcher(rule.id());
    if (!id.matches()) {
      throw new IllegalArgumentException(rule.id() + " is not a temporary ban");
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
                name
                    + " must not begin with !, which matches all other callers; write a rule instead");
          }
          if (value.contains("*")) {
            throw new IllegalArgumentException(
                name
                    + " must not contain *, which matches other callers too; ban the caller by another"
                    + " attribute, for example ip or api_key");
          }
          patterns.put(name, List.of(value));
        });
    return Selector.of(patterns);
  }
}
