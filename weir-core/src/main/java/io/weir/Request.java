package io.weir;

import io.weir.internal.rule.Claim;
import io.weir.internal.rule.Limit;
import io.weir.rule.Attributes;
import io.weir.rule.Rate;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A request to a limiter: attributes, cost and optionally a limit of its own. Immutable.
 *
 * <p>An attribute value may contain any characters, at most {@value #MAX_VALUE_LENGTH}. A request
 * has at most {@value #MAX_ATTRIBUTES} attributes.
 */
public final class Request implements Attributes {
  /** The maximum length of an attribute value, in characters. */
  public static final int MAX_VALUE_LENGTH = 65_536;

  /** The maximum number of attributes of a request. */
  public static final int MAX_ATTRIBUTES = 64;

  private final String[] pairs;
  private final long cost;
  private final @Nullable Rate limit;
  private final boolean addressFallback;

  private Request(String[] pairs, long cost, @Nullable Rate limit, boolean addressFallback) {
    this.pairs = pairs;
    this.cost = cost;
    this.limit = limit;
    this.addressFallback = addressFallback;
  }

  /**
   * Creates a request of cost 1 with these attributes.
   *
   * @param pairs alternating names and values, such as {@code "user", "42", "ip", "10.0.0.1"}
   * @throws IllegalArgumentException if a value is missing or too long, or a name is given twice
   */
  public static Request of(String... pairs) {
    if (pairs.length % 2 != 0) {
      throw new IllegalArgumentException(
          "attribute '" + pairs[pairs.length - 1] + "' must be followed by a value");
    }
    if (pairs.length > 2 * MAX_ATTRIBUTES) {
      throw new IllegalArgumentException(
          "a request must have at most 64 attributes (was " + pairs.length / 2 + ")");
    }
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i] == null || pairs[i + 1] == null) {
        throw new IllegalArgumentException(
            "attribute '" + pairs[i] + "' must not be null; leave out missing attributes");
      }
      if (pairs[i + 1].length() > MAX_VALUE_LENGTH) {
        throw new IllegalArgumentException(
            "attribute '" + pairs[i] + "' is longer than 65536 characters; shorten or hash it");
      }
      for (int k = 0; k < i; k += 2) {
        if (pairs[k].equals(pairs[i])) {
          throw new IllegalArgumentException(
              "attribute '" + pairs[i] + "' is given twice; keep one");
        }
      }
    }
    return new Request(withCanonicalNames(pairs.clone()), 1, null, true);
  }

  /** Names of headers are case-insensitive; requests and rules have them in lower case. */
  private static String[] withCanonicalNames(String[] pairs) {
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i].startsWith("header.")) {
        pairs[i] = pairs[i].toLowerCase(Locale.ROOT);
      }
    }
    return pairs;
  }

  /** Creates a request of cost 1 with these attributes. */
  public static Request of(Map<String, String> attributes) {
    return of(
        attributes.entrySet().stream()
            .flatMap(e -> Stream.of(e.getKey(), e.getValue()))
            .toArray(String[]::new));
  }

  /**
   * Returns this request with another cost.
   *
   * @throws IllegalArgumentException if the cost is below 1 or above 2<sup>53</sup>
   */
  public Request cost(long permits) {
    return new Request(pairs, Claim.checkCost(permits), limit, addressFallback);
  }

  public long cost() {
    return cost;
  }

  /**
   * Returns this request with a limit of its own. Every matching rule enforces this rate instead of
   * its own limits; if no rule matches, a built-in rule counts per all attributes of the request.
   *
   * <p>Counter keys depend on the period but not on the number of permits, so a rate with the same
   * period shares the counter of the rule. A rate that the rule's algorithm cannot count exactly is
   * counted in fixed windows. The rate is enforced even if the rule is a shadow rule.
   *
   * @throws IllegalArgumentException if the rate is not valid for any algorithm
   */
  public Request limit(Rate rate) {
    return new Request(pairs, cost, Limit.checkRate(rate), addressFallback);
  }

  /**
   * Returns the rate that replaces the limits of the rules; null if the rules apply as they are.
   */
  public @Nullable Rate limit() {
    return limit;
  }

  /**
   * Returns this request for rules that concern the attributes it has only: rules with {@code
   * missing: address} skip it if it lacks an attribute. For callers that describe one request by
   * several, each with some of its attributes, such as Envoy's descriptors.
   */
  public Request withoutFallbackAddress() {
    return new Request(pairs, cost, limit, false);
  }

  @Override
  public @Nullable String fallbackAddress() {
    return addressFallback ? get("ip") : null;
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

  /** Encodes all attributes unambiguously and independently of their order. */
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
        && addressFallback == that.addressFallback
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
