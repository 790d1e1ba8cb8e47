package io.weir.lab.world;

import java.util.Random;

/**
 * How messages fare on a wire. Times in microseconds.
 *
 * @param minDelayMicros how long each takes at least
 * @param meanExtraDelayMicros how much longer they take on average, most of them less and a few
 *     much more
 * @param maxDelayMicros how long each takes at most
 * @param lossRate which part of them never arrives
 */
public record NetworkConditions(
    long minDelayMicros, long meanExtraDelayMicros, long maxDelayMicros, double lossRate) {
  /** Everything arrives, and at once. */
  public static final NetworkConditions IDEAL = new NetworkConditions(0, 0, 0, 0);

  /** The same, but slower by so much. */
  public NetworkConditions withExtraDelay(long micros) {
    return new NetworkConditions(
        minDelayMicros + micros, meanExtraDelayMicros, maxDelayMicros + micros, lossRate);
  }

  /** The same, but that part is lost. */
  public NetworkConditions withLossRate(double part) {
    return new NetworkConditions(minDelayMicros, meanExtraDelayMicros, maxDelayMicros, part);
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
