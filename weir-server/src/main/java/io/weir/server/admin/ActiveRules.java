package io.weir.server.admin;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import java.time.Duration;
import java.util.List;

/**
 * Rules without the temporary bans that have ended: a ban ends on every node by itself, also where
 * the database that still holds its rule cannot be reached. Safe for any number of threads.
 */
public final class ActiveRules implements RuleSource {
  private static final long NEVER = Long.MAX_VALUE;

  private final RuleSource source;
  private final Clock clock;
  private volatile FilteredRules cached;

  /**
   * What is in force of one snapshot.
   *
   * @param validUntilMicros when the next ban ends, by the wall clock in microseconds
   */
  private record FilteredRules(RuleSet unfiltered, RuleSet active, long validUntilMicros) {}

  public ActiveRules(RuleSource all, Clock clock) {
    this.source = all;
    this.clock = clock;
    cached = filter(all.current());
  }

  @Override
  public RuleSet current() {
    RuleSet now = source.current();
    FilteredRules known = cached;
    boolean valid =
        known.unfiltered() == now
            && (known.validUntilMicros() == NEVER || clock.wallMicros() < known.validUntilMicros());
    if (!valid) {
      known = filter(now);
      cached = known;
    }
    return known.active();
  }

  @Override
  public Duration staleness() {
    return source.staleness();
  }

  private FilteredRules filter(RuleSet all) {
    long now = clock.wallMicros();
    long until = NEVER;
    boolean ended = false;
    for (Rule rule : all.rules()) {
      if (TemporaryBan.isBan(rule)) {
        long end = TemporaryBan.endMicros(rule);
        ended |= end <= now;
        until = end <= now ? until : Math.min(until, end);
      }
    }
    if (!ended) {
      return new FilteredRules(all, all, until);
    }
    List<Rule> active =
        all.rules().stream()
            .filter(rule -> !TemporaryBan.isBan(rule) || TemporaryBan.endMicros(rule) > now)
            .toList();
    return new FilteredRules(all, RuleSet.of(all.revision(), active), until);
  }
}
