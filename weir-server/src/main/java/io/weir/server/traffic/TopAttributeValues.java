package io.weir.server.traffic;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who calls most, and what is called most, of some requests. */
public final class TopAttributeValues {
  private TopAttributeValues() {}

  /**
   * Requests that have a value in common.
   *
   * @param attribute what they have it of, such as {@code user}
   * @param value of an endpoint its pattern
   */
  public record AttributeTraffic(String attribute, String value, long requests, long refused) {
    private AttributeTraffic plus(AttributeTraffic more) {
      return new AttributeTraffic(
          attribute, value, requests + more.requests, refused + more.refused);
    }
  }

  /** The values of an attribute that came most often, the most frequent first. */
  public static List<AttributeTraffic> rank(
      String attribute, List<PastRequest> requests, int most) {
    Map<String, AttributeTraffic> lines = new HashMap<>();
    for (PastRequest one : requests) {
      String value = valueOf(attribute, one);
      if (value != null) {
        long refused = one.refused() ? one.weight() : 0;
        lines.merge(
            value,
            new AttributeTraffic(attribute, value, one.weight(), refused),
            AttributeTraffic::plus);
      }
    }
    return lines.values().stream()
        .sorted(
            Comparator.comparingLong(AttributeTraffic::requests)
                .reversed()
                .thenComparing(AttributeTraffic::value))
        .limit(most)
        .toList();
  }

  private static @Nullable String valueOf(String attribute, PastRequest one) {
    String value = one.request().get(attribute);
    return value != null && attribute.equals("endpoint") ? EndpointPatterns.pattern(value) : value;
  }
}
