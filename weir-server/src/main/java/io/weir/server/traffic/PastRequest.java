package io.weir.server.traffic;

import io.weir.Request;

/**
 * A request that was decided.
 *
 * @param time when, in microseconds since the epoch
 * @param refused whether an enforcing rule refused it
 * @param weight how many requests it stands for, where only some callers are remembered
 * @param length about how long it is, in characters
 */
public record PastRequest(long time, Request request, boolean refused, int weight, int length) {

  PastRequest withWeight(int more) {
    return new PastRequest(time, request, refused, more, length);
  }
}
