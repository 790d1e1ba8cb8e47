package io.weir.store;

import java.time.Duration;

/**
 * How a store fares.
 *
 * @param available whether it is asked and answers
 * @param state in words
 * @param drift how far its clock is ahead of this node's
 * @param degraded how many decisions postures have answered so far
 * @param corrupt how many states could not be read and were taken as fresh
 */
public record Health(boolean available, String state, Duration drift, long degraded, long corrupt) {
  /** That of a store which cannot be away. */
  public static final Health ALWAYS = new Health(true, "answers", Duration.ZERO, 0, 0);
}
