package io.weir.gateway;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import java.util.List;

/**
 * Selects the rules that limit WebSocket messages, by {@code endpoint: "WS /path"} or {@code
 * method: WS}. Other rules, such as one per address, count requests; a WebSocket is one request.
 * Safe for any number of threads.
 */
public final class WebSocketMessageRules implements RuleSource {
  static final String MESSAGE_METHOD = "WS";

  private final RuleSource source;
  private volatile MessageRuleSelection cached;

  /** The selection from one snapshot of the rules. */
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
    RuleSet current = source.current();
    MessageRuleSelection selection = cached;
    if (selection.source() != current) {
      selection = filter(current);
      cached = selection;
    }
    return selection;
  }

  /** Whether no rule limits messages. */
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
