package io.weir.lab.world;

import java.util.Random;

/**
 * How messages fare on a wire. Times in microseconds.
 *
 * @param least how long each takes at least
 * @param more how much longer they take on average, most of them less and a few much more
 * @param most how long each takes at most
 * @param lost which part of them never arrives
 */
public record Weather(long least, long more, long most, double lost) {
  /** Everything arrives, and at once. */
  public static final Weather NONE = new Weather(0, 0, 0, 0);

  /** The same, but slower by so much. */
  public Weather slower(long micros) {
    return new Weather(least + micros, more, most + micros, lost);
  }

  /** The same, but that part is lost. */
  public Weather losing(double part) {
    return new Weather(least, more, most, part);
  }

  long delay(Random random) {
    double extra = more == 0 ? 0 : -Math.log(1 - random.nextDouble()) * more;
    return Math.min(most, least + (long) extra);
  }

  boolean loses(Random random) {
    return lost > 0 && random.nextDouble() < lost;
  }
}
