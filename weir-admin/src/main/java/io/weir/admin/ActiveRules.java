package io.weir.admin;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.List;

/**
 * A rule source that leaves out temporary bans that have ended. A ban ends on every node by itself,
 * even while the database that still stores its rule is unreachable. Thread-safe.
 */
public final class ActiveRules implements RuleSource {
  private static final long NEVER = Long.MAX_VALUE;

  private final RuleSource source;
  private final Clock clock;
  private volatile FilteredRules cached;

  /**
   * The rules of one snapshot that are in force.
   *
   * @param validUntilMicros the end of the next ban, in wall-clock microseconds
   */
  private record FilteredRules(RuleSet unfiltered, RuleSet active, long validUntilMicros) {}

  public ActiveRules(RuleSource source, Clock clock) {
    this.source = source;
    this.clock = clock;
    cached = filter(source.current());
  }

  @Override
  public RuleSet current() {
    RuleSet latest = source.current();
    FilteredRules filtered = cached;
    boolean valid =
        filtered.unfiltered() == latest
            && (filtered.validUntilMicros() == NEVER
                || clock.wallMicros() < filtered.validUntilMicros());
    if (!valid) {
      filtered = filter(latest);
      cached = filtered;
    }
    return filtered.active();
  }

  @Override
  public Duration staleness() {
    return source.staleness();
  }

  private FilteredRules filter(RuleSet rules) {
    long now = clock.wallMicros();
    long nextEnd = NEVER;
    boolean anyEnded = false;
    for (Rule rule : rules.rules()) {
      if (TemporaryBan.isBan(rule)) {
        long end = TemporaryBan.endMicros(rule);
        anyEnded |= end <= now;
        nextEnd = end <= now ? nextEnd : Math.min(nextEnd, end);
      }
    }
    if (!anyEnded) {
      return new FilteredRules(rules, rules, nextEnd);
    }
    List<Rule> active =
        rules.rules().stream()
            .filter(rule -> !TemporaryBan.isBan(rule) || TemporaryBan.endMicros(rule) > now)
            .toList();
    return new FilteredRules(rules, RuleSet.of(rules.revision(), active), nextEnd);
  }
}
