package io.weir.internal.rule;

import io.weir.internal.algorithm.CalendarWindow;
import io.weir.internal.algorithm.LimitParameters;

/**
 * The parameters of a limit that change with time: one set for each stretch of time.
 *
 * <p>Computed when first needed, and kept for the stretches around the latest time. Safe for any
 * number of threads.
 */
public final class LimitTimeline {
  private final LimitParameters parameters;
  private final CalendarWindows windows;
  private volatile Stretch[] latest = {};

  LimitTimeline(LimitParameters parameters, CalendarWindows windows) {
    this.parameters = parameters;
    this.windows = windows;
  }

  /**
   * A stretch of time with the same parameters.
   *
   * @param from its first moment
   * @param until the first moment of the next one
   */
  public record Stretch(long from, long until, LimitParameters parameters) {
    boolean contains(long time) {
      return time >= from && time < until;
    }
  }

  CalendarWindows windows() {
    return windows;
  }

  /** Returns the parameters at a time. */
  LimitParameters at(long now) {
    Stretch[] known = around(now);
    return known[1].contains(now) ? known[1].parameters : known[0].parameters;
  }

  /**
   * Returns three stretches in a row; the first or the second contains the time. So a store whose
   * clock is slightly ahead or behind finds its own time among them.
   */
  public Stretch[] around(long now) {
    Stretch[] known = latest;
    if (known.length > 0 && (known[1].contains(now) || known[0].contains(now))) {
      return known;
    }
    Stretch current = stretchAt(now);
    known =
        new Stretch[] {stretchAt(Math.max(0, current.from - 1)), current, stretchAt(current.until)};
    latest = known;
    return known;
  }

  private Stretch stretchAt(long time) {
    CalendarWindow window = windows.at(time);
    return new Stretch(window.start(), window.end(), parameters.in(window));
  }
}
