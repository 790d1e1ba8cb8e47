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

  private final RuleSource all;
  private final Clock clock;
  private volatile View view;

  /**
   * What is in force of one snapshot.
   *
   * @param until when the next ban ends, by the wall clock in microseconds
   */
  private record View(RuleSet all, RuleSet active, long until) {}

  public ActiveRules(RuleSource all, Clock clock) {
    this.all = all;
    this.clock = clock;
    view = view(all.current());
  }

  @Override
  public RuleSet current() {
    RuleSet now = all.current();
    View known = view;
    boolean valid =
        known.all() == now && (known.until() == NEVER || clock.wallMicros() < known.until());
    if (!valid) {
      known = view(now);
      view = known;
    }
    return known.active();
  }

  @Override
  public Duration stale() {
    return all.stale();
  }

  private View view(RuleSet all) {
    long now = clock.wallMicros();
    long until = NEVER;
    boolean ended = false;
    for (Rule rule : all.rules()) {
      if (Hold.is(rule)) {
        long end = Hold.end(rule);
        ended |= end <= now;
        until = end <= now ? until : Math.min(until, end);
      }
    }
    if (!ended) {
      return new View(all, all, until);
    }
    List<Rule> active =
        all.rules().stream().filter(rule -> !Hold.is(rule) || Hold.end(rule) > now).toList();
    return new View(all, RuleSet.of(all.revision(), active), until);
  }
}
