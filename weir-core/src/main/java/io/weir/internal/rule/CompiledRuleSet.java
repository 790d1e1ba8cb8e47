package io.weir.internal.rule;

import io.weir.rule.Attributes;
import io.weir.rule.MissingAttributePolicy;
import io.weir.rule.Rate;
import io.weir.rule.Rule;
import io.weir.rule.RuleAction;
import io.weir.rule.RuleException;
import io.weir.rule.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A rule set with its index: finds the claims of a request at the same cost for ten rules and for
 * ten thousand. Every rule set is one; the public class hides it. Immutable.
 */
public final class CompiledRuleSet extends RuleSet {
  private static final Claim[] NONE = {};

  private final SelectorIndex index;

  /*
   * The data of each enabled rule that a lookup needs, in arrays for cache locality: the attributes
   * it counts per (equal lists are shared), its limit and salt if it has a single limit, and its
   * limit if it decides without a counter.
   */
  private final CompiledRule[] enabled;
  private final List<List<String>> perAttributes = new ArrayList<>();
  private final @Nullable Limit[] limits;
  private final long[] salts;
  private final boolean limitsInFlight;
  private final @Nullable Limit[] verdicts;
  private final boolean[] skipsMissing;

  /**
   * @param indexed the index of another set whose rules match the same requests, or null
   */
  public CompiledRuleSet(long revision, Map<String, Rule> byId, @Nullable SelectorIndex indexed) {
    super(revision, byId);
    enabled =
        byId.values().stream()
            .filter(Rule::enabled)
            .sorted(Comparator.comparing(Rule::action))
            .map(CompiledRule::of)
            .toArray(CompiledRule[]::new);
    index =
        indexed != null
            ? indexed
            : new SelectorIndex(Arrays.stream(enabled).map(Rule::match).toList());
    limits = new Limit[enabled.length];
    salts = new long[enabled.length];
    limitsInFlight = Arrays.stream(enabled).anyMatch(Rule::limitsInFlight);
    verdicts = new Limit[enabled.length];
    skipsMissing = new boolean[enabled.length];
    Map<List<String>, List<String>> shared = new HashMap<>();
    for (int i = 0; i < enabled.length; i++) {
      CompiledRule rule = enabled[i];
      perAttributes.add(shared.computeIfAbsent(rule.per(), per -> per));
      boolean single = rule.hasSingleLimit() && rule.inFlight() == 0;
      limits[i] = single ? rule.limits().get(0) : null;
      salts[i] = single ? rule.limits().get(0).salt() : 0;
      verdicts[i] = rule.action() == RuleAction.LIMIT ? null : rule.limits().get(0);
      skipsMissing[i] = rule.missing() == MissingAttributePolicy.SKIP;
    }
  }

  /** Returns whether an enabled rule limits requests in flight. */
  public boolean limitsInFlight() {
    return limitsInFlight;
  }

  /** Returns the compiled form of a rule set. */
  public static CompiledRuleSet of(RuleSet rules) {
    return (CompiledRuleSet) rules;
  }

  /**
   * Returns this revision with some rules replaced by id. They must match the same requests, so
   * that the index can be reused.
   */
  public RuleSet withReplaced(Collection<Rule> others) {
    Map<String, Rule> all = new LinkedHashMap<>(byId());
    for (Rule other : others) {
      Rule rule = all.put(other.id(), other);
      if (rule == null
          || rule.enabled() != other.enabled()
          || rule.action() != other.action()
          || !rule.match().equals(other.match())) {
        throw new RuleException(
            other.id(), "match", "must not change; replace the whole rule set instead");
      }
    }
    return others.isEmpty() ? this : new CompiledRuleSet(revision(), all, index);
  }

  /**
   * Returns the limit that has replaced {@code earlier}, which may be from another revision; {@code
   * earlier} itself if its rule is unchanged or removed. Refunds use this limit, because a state
   * must not be advanced with parameters that the rule no longer has.
   */
  public Limit successor(Limit earlier) {
    Rule rule = rule(earlier.rule().id());
    return rule == null ? earlier : CompiledRule.of(rule).successor(earlier);
  }

  /**
   * Returns the claims of a request on all limits of all enabled rules that match it, in rule
   * order. A rule only matches a request that has every attribute its selector names; for the
   * attributes that it counts per, see {@link MissingAttributePolicy}.
   *
   * <p>Rules that allow come first, then those that block, then limits. The first enforced rule
   * that allows or blocks ends the evaluation. Claims on limits that are not {@link
   * Limit#isCounted} have no counter.
   */
  public Claim[] claims(Attributes request, Fingerprint fingerprint, long cost) {
    return claims(request, fingerprint, cost, null);
  }

  /** Returns the claims of a request; {@code rate} replaces the limits of the rules unless null. */
  public Claim[] claims(
      Attributes request, Fingerprint fingerprint, long cost, @Nullable Rate rate) {
    int[] unconditionalRules = index.unconditional();
    int[] found = index.candidates(request);
    if (unconditionalRules.length + found.length == 0) {
      return NONE;
    }
    Claim[] claims = new Claim[unconditionalRules.length + found.length];
    int n = 0;
    @Nullable List<String> lastPer = null; // equal lists are the same object
    long caller = 0;
    for (int i = 0, j = 0; i < unconditionalRules.length || j < found.length; ) {
      boolean unconditional =
          j == found.length || (i < unconditionalRules.length && unconditionalRules[i] < found[j]);
      int next = unconditional ? unconditionalRules[i++] : found[j++];
      List<String> per = perAttributes.get(next);
      boolean complete = hasAll(request, per);
      if ((complete || !skipsMissing[next]) && (unconditional || index.matches(next, request))) {
        String address = complete ? null : request.fallbackAddress();
        Limit verdict = complete ? verdicts[next] : enabled[next].missingRefusal();
        if (verdict != null) {
          Claim claim = new Claim(verdict, 0, cost);
          if (!verdict.shadow()) {
            return new Claim[] {claim};
          }
          claims = n == claims.length ? Arrays.copyOf(claims, n + 4) : claims;
          claims[n++] = claim;
          continue;
        }
        if (!complete && address == null) {
          continue;
        }
        if (lastPer != per) {
          lastPer = per;
          caller = fingerprint.of(request, per, address);
        }
        if (rate != null) {
          claims = n == claims.length ? Arrays.copyOf(claims, n + 4) : claims;
          claims[n++] = Claim.of(enabled[next].limit(rate), caller, cost);
        }
        Limit single = limits[next];
        if (rate == null && single != null && n < claims.length) {
          claims[n++] = new Claim(single, Limit.key(caller, salts[next]), cost);
          continue;
        }
        for (Limit limit : enabled[next].limits(request)) {
          if (rate != null && !limit.isInFlight()) {
            continue; // replaced by the rate of the request
          }
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
   * Like {@link #claims}, but for every counter the caller may have under the matching rules, with
   * any of their overrides. Contains each counter once.
   */
  public Claim[] allCounterClaims(Attributes request, Fingerprint fingerprint, long cost) {
    Map<Long, Claim> byKey = new LinkedHashMap<>();
    for (CompiledRule rule : enabled) {
      boolean complete = hasAll(request, rule.per());
      String address =
          rule.missing() == MissingAttributePolicy.ADDRESS ? request.fallbackAddress() : null;
      if (rule.action() == RuleAction.LIMIT
          && (complete || address != null)
          && rule.match().matches(request)) {
        long caller = fingerprint.of(request, rule.per(), complete ? null : address);
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
