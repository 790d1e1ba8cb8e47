package io.weir.admin.traffic;

import io.weir.Request;

/**
 * A recorded request with its decision.
 *
 * @param time the time of the decision, in microseconds since the epoch
 * @param refused whether an enforcing rule refused it
 * @param weight how many requests it represents if only a sample of the callers is recorded
 * @param length the approximate length in characters
 */
public record PastRequest(long time, Request request, boolean refused, int weight, int length) {

  PastRequest withWeight(int newWeight) {
    return new PastRequest(time, request, refused, newWeight, length);
  }
}
