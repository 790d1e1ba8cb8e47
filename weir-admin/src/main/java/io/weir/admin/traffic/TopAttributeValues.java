package io.weir.admin.traffic;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Ranks attribute values, such as users or endpoints, by their number of requests. */
public final class TopAttributeValues {
  private TopAttributeValues() {}

  /**
   * The number of requests with one attribute value.
   *
   * @param attribute the attribute, such as {@code user}
   * @param value the value; for an endpoint its pattern
   */
  public record AttributeTraffic(String attribute, String value, long requests, long refused) {
    private AttributeTraffic plus(AttributeTraffic other) {
      return new AttributeTraffic(
          attribute, value, requests + other.requests, refused + other.refused);
    }
  }

  /** Returns the most frequent values of an attribute, in descending order. */
  public static List<AttributeTraffic> rank(
      String attribute, List<PastRequest> requests, int limit) {
    Map<String, AttributeTraffic> byValue = new HashMap<>();
    for (PastRequest request : requests) {
      String value = valueOf(attribute, request);
      if (value != null) {
        long refused = request.refused() ? request.weight() : 0;
        byValue.merge(
            value,
            new AttributeTraffic(attribute, value, request.weight(), refused),
            AttributeTraffic::plus);
      }
    }
    return byValue.values().stream()
        .sorted(
            Comparator.comparingLong(AttributeTraffic::requests)
                .reversed()
                .thenComparing(AttributeTraffic::value))
        .limit(limit)
        .toList();
  }

  private static @Nullable String valueOf(String attribute, PastRequest past) {
    String value = past.request().get(attribute);
    return value != null && attribute.equals("endpoint") ? EndpointPatterns.pattern(value) : value;
  }
}
