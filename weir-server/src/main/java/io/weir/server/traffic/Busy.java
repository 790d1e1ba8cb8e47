package io.weir.server.traffic;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who calls most, and what is called most, of some requests. */
public final class Busy {
  private Busy() {}

  /**
   * Requests that have a value in common.
   *
   * @param attribute what they have it of, such as {@code user}
   * @param value of an endpoint its pattern
   */
  public record Line(String attribute, String value, long requests, long refused) {
    private Line plus(Line more) {
      return new Line(attribute, value, requests + more.requests, refused + more.refused);
    }
  }

  /** The values of an attribute that came most often, the most frequent first. */
  public static List<Line> by(String attribute, List<PastRequest> requests, int most) {
    Map<String, Line> lines = new HashMap<>();
    for (PastRequest one : requests) {
      String value = value(attribute, one);
      if (value != null) {
        long refused = one.refused() ? one.weight() : 0;
        lines.merge(value, new Line(attribute, value, one.weight(), refused), Line::plus);
      }
    }
    return lines.values().stream()
        .sorted(Comparator.comparingLong(Line::requests).reversed().thenComparing(Line::value))
        .limit(most)
        .toList();
  }

  private static @Nullable String value(String attribute, PastRequest one) {
    String value = one.request().get(attribute);
    return value != null && attribute.equals("endpoint") ? Endpoints.pattern(value) : value;
  }
}
