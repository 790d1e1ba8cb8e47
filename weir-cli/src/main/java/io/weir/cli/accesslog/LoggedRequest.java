package io.weir.cli.accesslog;

import java.util.Map;

/**
 * A request of an access log.
 *
 * @param micros when it was logged, in microseconds since the epoch
 * @param attributes the attributes that the log has, by the names used in rules
 * @param cost the permits it needs; 1 if the log has no cost
 */
public record LoggedRequest(long micros, Map<String, String> attributes, long cost) {
  public LoggedRequest {
    attributes = Map.copyOf(attributes);
  }
}
