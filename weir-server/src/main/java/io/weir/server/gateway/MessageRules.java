package io.weir.server.gateway;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import java.util.List;

/**
 * Of all rules those that name the messages of WebSockets, by {@code endpoint: "WS /path"} or
 * {@code method: WS}. Others, such as one for each address, count requests: a WebSocket is one.
 */
public final class MessageRules implements RuleSource {
  static final String METHOD = "WS";

  private final RuleSource all;
  private volatile Of of;

  /** What was made of one snapshot. */
  private record Of(RuleSet all, RuleSet named, boolean empty) {}

  public MessageRules(RuleSource all) {
    this.all = all;
    of = of(all.current());
  }

  @Override
  public RuleSet current() {
    return latest().named();
  }

  private Of latest() {
    RuleSet now = all.current();
    Of made = of;
    if (made.all() != now) {
      made = of(now);
      of = made;
    }
    return made;
  }

  /** Whether no rule names messages. */
  boolean isEmpty() {
    return latest().empty();
  }

  private static Of of(RuleSet all) {
    List<Rule> named = all.rules().stream().filter(MessageRules::names).toList();
    return new Of(all, RuleSet.of(all.revision(), named), named.isEmpty());
  }

  private static boolean names(Rule rule) {
    var patterns = rule.match().patterns();
    return patterns.getOrDefault("endpoint", List.of()).stream()
            .anyMatch(p -> p.startsWith(METHOD + " "))
        || patterns.getOrDefault("method", List.of()).contains(METHOD);
  }
}
