package io.weir.rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules in force, as one immutable snapshot with a revision, indexed so that finding those that
 * meet a request costs the same for ten rules and for ten thousand.
 */
public final class RuleSet implements RuleSource {
  private static final Claim[] NONE = {};

  private final long revision;
  private final Map<String, Rule> byId;
  private final SelectorIndex index;

  /*
   * Of each enabled rule what a lookup needs, side by side so that it stays in the cache: what it
   * counts per (equal lists shared), and its limit, with its salt, if it has one for everyone.
   */
  private final Rule[] enabled;
  private final List<List<String>> perAttributes = new ArrayList<>();
  private final @Nullable Limit[] limits;
  private final long[] salts;

  /**
   * @param indexed the index of another set whose rules meet the same requests, if there is one
   */
  private RuleSet(long revision, Map<String, Rule> byId, @Nullable SelectorIndex indexed) {
    this.revision = revision;
    this.byId = byId;
    enabled = byId.values().stream().filter(Rule::enabled).toArray(Rule[]::new);
    index =
        indexed != null
            ? indexed
            : new SelectorIndex(Arrays.stream(enabled).map(Rule::match).toList());
    limits = new Limit[enabled.length];
    salts = new long[enabled.length];
    Map<List<String>, List<String>> shared = new HashMap<>();
    for (int i = 0; i < enabled.length; i++) {
      Rule rule = enabled[i];
      perAttributes.add(shared.computeIfAbsent(rule.per(), per -> per));
      boolean one = rule.limits().size() == 1 && rule.overrides().isEmpty();
      limits[i] = one ? rule.limits().get(0) : null;
      salts[i] = rule.limits().get(0).salt();
    }
  }

  /**
   * A snapshot of these rules.
   *
   * @throws RuleException if two of them have the same id
   */
  public static RuleSet of(long revision, Collection<Rule> rules) {
    Map<String, Rule> byId = new LinkedHashMap<>();
    for (Rule rule : rules) {
      if (byId.put(rule.id(), rule) != null) {
        throw new RuleException(rule.id(), "id", "is used twice; give each rule an id of its own");
      }
    }
    return new RuleSet(revision, byId, null);
  }

  /**
   * The same revision, in which some rules stand for those of their id; they must meet the same
   * requests, so that nothing is indexed anew.
   */
  public RuleSet withReplaced(Collection<Rule> others) {
    Map<String, Rule> all = new LinkedHashMap<>(byId);
    for (Rule other : others) {
      Rule rule = all.put(other.id(), other);
      if (rule == null
          || rule.enabled() != other.enabled()
          || !rule.match().equals(other.match())) {
        throw new RuleException(other.id(), "match", "differs; replace the rules as a whole");
      }
    }
    return others.isEmpty() ? this : new RuleSet(revision, all, index);
  }

  /** A first snapshot of these rules. */
  public static RuleSet of(Rule... rules) {
    return of(1, List.of(rules));
  }

  @Override
  public RuleSet current() {
    return this;
  }

  public long revision() {
    return revision;
  }

  /** All rules in their order, those not enabled included. */
  public List<Rule> rules() {
    return new ArrayList<>(byId.values());
  }

  public @Nullable Rule rule(String id) {
    return byId.get(id);
  }

  /**
   * The limit that holds now what was charged under {@code earlier}, which may be of another
   * revision; the same if its rule is unchanged or gone. What was charged is given back under it,
   * since a state must not be aged by numbers its rule no longer has.
   */
  public Limit successor(Limit earlier) {
    Rule rule = byId.get(earlier.rule().id());
    return rule == null ? earlier : rule.successor(earlier);
  }

  /**
   * One rule alone, for an operator who looks after its counters: it meets whoever has the
   * attributes it counts per, whatever else it selects by, enabled or not.
   *
   * @throws IllegalArgumentException if there is no such rule
   */
  public RuleSet onlyRule(String id) {
    Rule rule = byId.get(id);
    if (rule == null) {
      throw new IllegalArgumentException(
          "rule '" + id + "' does not exist; write the id of one that does");
    }
    return of(revision, List.of(rule.edit().match(Selector.ANY).enabled(true).build()));
  }

  /**
   * The claims of a request on every limit of every enabled rule that meets it, in the order of the
   * rules. A rule meets a request that has every attribute it names.
   */
  public Claim[] claims(Attributes request, Fingerprint fingerprint, long cost) {
    return claims(request, fingerprint, cost, null);
  }

  /** As above, of a request that is held to a rate of its own, if one is given. */
  public Claim[] claims(
      Attributes request, Fingerprint fingerprint, long cost, @Nullable Rate rate) {
    int[] always = index.unconditional();
    int[] found = index.candidates(request);
    if (always.length + found.length == 0) {
      return NONE;
    }
    Claim[] claims = new Claim[always.length + found.length];
    int n = 0;
    List<String> lastPer = List.of();
    long caller = 0;
    for (int i = 0, j = 0; i < always.length || j < found.length; ) {
      boolean free = j == found.length || (i < always.length && always[i] < found[j]);
      int next = free ? always[i++] : found[j++];
      List<String> per = perAttributes.get(next);
      if (hasAll(request, per) && (free || index.matches(next, request))) {
        if (n == 0 || !lastPer.equals(per)) {
          lastPer = per;
          caller = fingerprint.of(request, per);
        }
        if (rate != null) {
          claims[n++] = Claim.of(enabled[next].limit(rate), caller, cost);
          continue;
        }
        Limit only = limits[next];
        if (only != null && n < claims.length) {
          claims[n++] = new Claim(only, Limit.key(caller, salts[next]), cost);
          continue;
        }
        for (Limit limit : enabled[next].limits(request)) {
          if (n == claims.length) {
            claims = Arrays.copyOf(claims, n + 4);
          }
          claims[n++] = Claim.of(limit, caller, cost);
        }
      }
    }
    return n == claims.length ? claims : Arrays.copyOf(claims, n);
  }

  /**
   * As {@link #claims}, on every counter a caller may have under a rule that meets the request,
   * whichever of its overrides is for the caller; each counter once.
   */
  public Claim[] allCounterClaims(Attributes request, Fingerprint fingerprint, long cost) {
    Map<Long, Claim> byKey = new LinkedHashMap<>();
    for (Rule rule : enabled) {
      if (hasAll(request, rule.per()) && rule.match().matches(request)) {
        long caller = fingerprint.of(request, rule.per());
        for (Limit limit : rule.allLimits()) {
          Claim claim = Claim.of(limit, caller, cost);
          byKey.putIfAbsent(claim.key(), claim);
        }
      }
    }
    return byKey.values().toArray(NONE);
  }

  private static boolean hasAll(Attributes request, List<String> names) {
    for (int i = 0; i < names.size(); i++) {
      if (request.get(names.get(i)) == null) {
        return false;
      }
    }
    return true;
  }
}
