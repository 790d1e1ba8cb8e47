package io.weir.lab.world;

import java.util.Random;

/**
 * Latency and loss of messages on a simulated link. Times in microseconds.
 *
 * @param minDelayMicros the minimum delay
 * @param meanExtraDelayMicros the mean additional delay, exponentially distributed
 * @param maxDelayMicros the maximum delay
 * @param lossRate the fraction of messages that are lost
 */
public record NetworkConditions(
    long minDelayMicros, long meanExtraDelayMicros, long maxDelayMicros, double lossRate) {
  /** No delay and no loss. */
  public static final NetworkConditions IDEAL = new NetworkConditions(0, 0, 0, 0);

  /** Returns these conditions with additional delay. */
  public NetworkConditions withExtraDelay(long micros) {
    return new NetworkConditions(
        minDelayMicros + micros, meanExtraDelayMicros, maxDelayMicros + micros, lossRate);
  }

  /** Returns these conditions with another loss rate. */
  public NetworkConditions withLossRate(double rate) {
    return new NetworkConditions(minDelayMicros, meanExtraDelayMicros, maxDelayMicros, rate);
  }

  long randomDelayMicros(Random random) {
    double extra =
        meanExtraDelayMicros == 0 ? 0 : -Math.log(1 - random.nextDouble()) * meanExtraDelayMicros;
    return Math.min(maxDelayMicros, minDelayMicros + (long) extra);
  }

  boolean isLost(Random random) {
    return lossRate > 0 && random.nextDouble() < lossRate;
  }
}
