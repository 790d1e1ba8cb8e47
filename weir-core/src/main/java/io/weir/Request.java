package io.weir;

import io.weir.rule.Attributes;
import io.weir.rule.Claim;
import io.weir.rule.Limit;
import io.weir.rule.Rate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of a limiter: the attributes of a request and what it costs. Immutable.
 *
 * <p>A value may hold any characters, up to {@value #MAX_VALUE_LENGTH} of them; a request has at
 * most {@value #MAX_ATTRIBUTES} attributes.
 */
public final class Request implements Attributes {
  /** The longest value an attribute may have, in characters. */
  public static final int MAX_VALUE_LENGTH = 65_536;

  /** The most attributes a request may have. */
  public static final int MAX_ATTRIBUTES = 64;

  private final String[] pairs;
  private final long cost;
  private final @Nullable Rate limit;

  private Request(String[] pairs, long cost, @Nullable Rate limit) {
    this.pairs = pairs;
    this.cost = cost;
    this.limit = limit;
  }

  /**
   * A request of cost 1 with these attributes.
   *
   * @param pairs names and values in turn, such as {@code "user", "42", "ip", "10.0.0.1"}
   * @throws IllegalArgumentException if a value is missing or too long, or a name stands twice
   */
  public static Request of(String... pairs) {
    if (pairs.length % 2 != 0) {
      throw new IllegalArgumentException(
          "'" + pairs[pairs.length - 1] + "' has no value; write names and values in turn");
    }
    if (pairs.length > 2 * MAX_ATTRIBUTES) {
      throw new IllegalArgumentException(
          "a request of " + pairs.length / 2 + " attributes cannot be; write at most 64");
    }
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i] == null || pairs[i + 1] == null) {
        throw new IllegalArgumentException(
            "attribute '" + pairs[i] + "' is null; leave out what the request does not have");
      }
      if (pairs[i + 1].length() > MAX_VALUE_LENGTH) {
        throw new IllegalArgumentException(
            "attribute '" + pairs[i] + "' is longer than 65536 characters; shorten or hash it");
      }
      for (int k = 0; k < i; k += 2) {
        if (pairs[k].equals(pairs[i])) {
          throw new IllegalArgumentException("attribute '" + pairs[i] + "' stands twice; keep one");
        }
      }
    }
    return new Request(pairs.clone(), 1, null);
  }

  /** A request of cost 1 with these attributes. */
  public static Request of(Map<String, String> attributes) {
    return of(
        attributes.entrySet().stream()
            .flatMap(e -> Stream.of(e.getKey(), e.getValue()))
            .toArray(String[]::new));
  }

  /**
   * The same request at another cost.
   *
   * @throws IllegalArgumentException below 1 or above 2<sup>53</sup>
   */
  public Request cost(long permits) {
    return new Request(pairs, Claim.checkCost(permits), limit);
  }

  public long cost() {
    return cost;
  }

  /**
   * The same request, held to this rate by every rule that meets it, instead of the rule's own; by
   * a rule of its own, counting per all its attributes, if none does. A rule's counters are named
   * by its period, not by its numbers: a rate of the same period is held against what the rule has
   * counted so far. What the rule's algorithm could not count exactly is counted in fixed windows.
   * It is enforced also where the rule is a shadow.
   *
   * @throws IllegalArgumentException if no rule could have such a limit
   */
  public Request limit(Rate rate) {
    return new Request(pairs, cost, Limit.checkRate(rate));
  }

  /** The rate it is held to instead of the rules' own; null if they have their way. */
  public @Nullable Rate limit() {
    return limit;
  }

  @Override
  public @Nullable String get(String name) {
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i].equals(name)) {
        return pairs[i + 1];
      }
    }
    return null;
  }

  public Map<String, String> attributes() {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }

  /** All its attributes in one text, the same for no other attributes and for any order of them. */
  String canonicalForm() {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(attributes())
        .forEach(
            (name, value) ->
                text.append(name.length())
                    .append(':')
                    .append(name)
                    .append(value.length())
                    .append(':')
                    .append(value));
    return text.toString();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Request that
        && cost == that.cost
        && Objects.equals(limit, that.limit)
        && Arrays.equals(pairs, that.pairs);
  }

  @Override
  public int hashCode() {
    return (Arrays.hashCode(pairs) * 31 + Long.hashCode(cost)) * 31 + Objects.hashCode(limit);
  }

  @Override
  public String toString() {
    return attributes()
        + (cost == 1 ? "" : " cost " + cost)
        + (limit == null ? "" : " limit " + limit);
  }
}
