package io.weir.server.resp;

import io.weir.Decision;
import io.weir.Request;
import io.weir.rule.Rate;
import io.weir.store.StoreOperation;
import java.time.Duration;
import java.util.List;

/**
 * {@code CL.THROTTLE key max_burst count period [quantity]}, as in redis-cell: a token bucket of
 * {@code max_burst + 1} permits that is refilled with {@code count} permits in {@code period}
 * seconds. It is decided as a request with attribute {@code key} and a limit of its own.
 *
 * <p>The rate of a request has one number for permits and capacity, so the bucket is expressed as
 * {@code max_burst + 1} permits in the time in which that many are refilled, rounded up to a whole
 * microsecond.
 *
 * @param operation a peek if the quantity is 0
 */
record ThrottleCommand(Request request, StoreOperation operation) {
  private static final long MAX_NUMBER = 1_000_000_000;
  private static final long MAX_REFILL_MICROS = Duration.ofDays(3660).toMillis() * 1000;
  private static final int MIN_WORDS = 5;
  private static final int MAX_WORDS = 6;

  /**
   * @param words the command with its arguments
   * @throws IllegalArgumentException with the rule that an argument violates
   */
  static ThrottleCommand parse(List<String> words) {
    if (words.size() < MIN_WORDS || words.size() > MAX_WORDS) {
      throw new IllegalArgumentException(
          "wrong number of arguments for 'cl.throttle', write CL.THROTTLE key max_burst count period [quantity]");
    }
    long capacity = number("max_burst", words.get(2), 0) + 1;
    long count = number("count", words.get(3), 1);
    long period = number("period", words.get(4), 1);
    long quantity = words.size() == MAX_WORDS ? number("quantity", words.get(5), 0) : 1;
    double refillMicros = Math.ceil((double) capacity * period * 1e6 / count);
    if (refillMicros > MAX_REFILL_MICROS) {
      throw new IllegalArgumentException(
          "max_burst must be refilled within 10 years, use a smaller max_burst or period");
    }
    Rate rate = new Rate(capacity, Duration.ofNanos((long) refillMicros * 1000));
    Request request = Request.of("key", words.get(1)).limit(rate).cost(Math.max(1, quantity));
    return new ThrottleCommand(request, quantity == 0 ? StoreOperation.PEEK : StoreOperation.TAKE);
  }

  private static long number(String name, String text, long min) {
    if (!text.matches("[0-9]{1,10}") || number(text) < min || number(text) > MAX_NUMBER) {
      throw new IllegalArgumentException(
          "%s must be an integer from %d to %d (was '%s'), for example 15"
              .formatted(
                  name, min, MAX_NUMBER, text.length() > 20 ? text.substring(0, 20) + "…" : text));
    }
    return number(text);
  }

  private static long number(String text) {
    return Long.parseLong(text);
  }

  /**
   * Encodes a decision: limited (0 or 1), limit, remaining, seconds until a retry succeeds (-1 if
   * allowed, or never), seconds until all is back. Seconds are rounded up, so that a caller that
   * waits for them is admitted.
   */
  String reply(Decision decision) {
    boolean peek = operation == StoreOperation.PEEK;
    boolean allowed = decision.allowed() || peek; // a quantity of 0 always fits
    boolean never = allowed || decision.costExceedsLimit();
    return RespReplyEncoder.array(
        List.of(
            RespReplyEncoder.integer(allowed ? 0 : 1),
            RespReplyEncoder.integer(decision.limit()),
            RespReplyEncoder.integer(decision.remaining()),
            RespReplyEncoder.integer(never ? -1 : secondsRoundedUp(decision.retryAfter())),
            RespReplyEncoder.integer(secondsRoundedUp(decision.reset()))));
  }

  private static long secondsRoundedUp(Duration time) {
    return time.plusNanos(999_999_999).toSeconds();
  }
}
