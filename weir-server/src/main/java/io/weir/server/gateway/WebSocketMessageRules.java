package io.weir.server.gateway;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import java.util.List;

/**
 * Of all rules those that name the messages of WebSockets, by {@code endpoint: "WS /path"} or
 * {@code method: WS}. Others, such as one for each address, count requests: a WebSocket is one.
 */
public final class WebSocketMessageRules implements RuleSource {
  static final String MESSAGE_METHOD = "WS";

  private final RuleSource source;
  private volatile MessageRuleSelection cached;

  /** What was made of one snapshot. */
  private record MessageRuleSelection(RuleSet source, RuleSet messageRules, boolean empty) {}

  public WebSocketMessageRules(RuleSource all) {
    this.source = all;
    cached = filter(all.current());
  }

  @Override
  public RuleSet current() {
    return latest().messageRules();
  }

  private MessageRuleSelection latest() {
    RuleSet now = source.current();
    MessageRuleSelection made = cached;
    if (made.source() != now) {
      made = filter(now);
      cached = made;
    }
    return made;
  }

  /** Whether no rule names messages. */
  boolean isEmpty() {
    return latest().empty();
  }

  private static MessageRuleSelection filter(RuleSet all) {
    List<Rule> named = all.rules().stream().filter(WebSocketMessageRules::namesMessages).toList();
    return new MessageRuleSelection(all, RuleSet.of(all.revision(), named), named.isEmpty());
  }

  private static boolean namesMessages(Rule rule) {
    var patterns = rule.match().patterns();
    return patterns.getOrDefault("endpoint", List.of()).stream()
            .anyMatch(p -> p.startsWith(MESSAGE_METHOD + " "))
        || patterns.getOrDefault("method", List.of()).contains(MESSAGE_METHOD);
  }
}
