package io.weir.client;

import io.weir.http.Refusal;
import io.weir.store.Clock;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;

/**
 * How calls are paced, and all that is known of the services called. Clients that share one keep to
 * their limits together. Safe for any number of threads.
 *
 * <p>Limits are learnt from {@code RateLimit} and {@code RateLimit-Policy}, {@code X-RateLimit-*}
 * and {@code Retry-After} (seconds, date, {@code Retry-After-Ms}), for each host and class of call.
 * What is longer than a day is taken for a day, what makes no sense is ignored.
 */
public final class Pacing {
  private static final Logger LOG = System.getLogger(Pacing.class.getName());
  private static final int MOST_HOSTS = 1000;
  private static final long SPREAD_PART = 10;
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");
  private static final Set<Integer> PASSING = Set.of(Refusal.STATUS, 502, Told.UNAVAILABLE, 504);

  final Clock clock;
  final Timer timer;
  final DoubleSupplier random;
  final int attempts;
  final int budgetPercent;
  private final Duration longestWait;
  private final long firstBackoff;
  private final long longestBackoff;
  private final BiFunction<String, URI, String> kinds;
  private final BiPredicate<String, URI> repeatable;
  private final PaceListener listener;
  private final Map<String, Host> hosts = new LinkedHashMap<>(16, 0.75f, true);

  private Pacing(Builder b) {
    clock = b.clock;
    timer = b.timer;
    random = b.random;
    attempts = b.attempts;
    budgetPercent = b.budgetPercent;
    longestWait = b.longestWait;
    firstBackoff = micros(b.firstBackoff);
    longestBackoff = micros(b.longestBackoff);
    kinds = b.kinds;
    repeatable = b.repeatable;
    listener = b.listener;
  }

  /** With everything as usual. */
  public static Pacing usual() {
    return builder().build();
  }

  public static Builder builder() {
    return new Builder();
  }

  Duration longestWait() {
    return longestWait;
  }

  static Duration checkWait(Duration wait) {
    return Builder.check("a wait", wait);
  }

  /** Begins a call. */
  Trip trip(String method, URI uri, boolean keyed, Duration wait) {
    Lane lane = host(uri).lane(kinds.apply(method, uri));
    boolean again = keyed || repeatable.test(method, uri);
    return new Trip(this, lane, uri, again, clock.micros() + micros(wait));
  }

  private Host host(URI uri) {
    String name = (uri.getScheme() + "://" + uri.getAuthority()).toLowerCase(Locale.ROOT);
    synchronized (hosts) {
      Host host = hosts.computeIfAbsent(name, n -> new Host(this));
      if (hosts.size() > MOST_HOSTS) {
        hosts.remove(hosts.keySet().iterator().next());
      }
      return host;
    }
  }

  /** Reads what an answer tells. */
  Told read(int status, Function<String, List<String>> fields) {
    return Told.read(status, fields, clock.wallMicros());
  }

  /** Whether a status says that the same call may well be answered later. */
  boolean isPassing(int status) {
    return PASSING.contains(status);
  }

  /**
   * For how long to stay away after an attempt: never less than told, and some more at random,
   * twice as much each time, for others were told the same.
   */
  long pause(long told, int attempt) {
    long backoff = Math.min(longestBackoff, firstBackoff << Math.min(attempt - 1, 20));
    if (told == 0) {
      return backoff / 2 + (long) (backoff / 2.0 * random.getAsDouble());
    }
    long spread = Math.min(longestBackoff, Math.max(backoff, told / SPREAD_PART));
    return told + (long) (spread * random.getAsDouble());
  }

  /** Tells the listener, whose failures are its own. */
  void tell(Consumer<PaceListener> what) {
    try {
      what.accept(listener);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "a pace listener fails; calls are not affected", e);
    }
  }

  static Duration duration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  /** The method and the first two segments of the path, such as {@code GET /v1/orders}. */
  private static String kind(String method, URI uri) {
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    int second = path.indexOf('/', 1);
    int third = second < 0 ? -1 : path.indexOf('/', second + 1);
    return method + " " + (third < 0 ? path : path.substring(0, third));
  }

  /** Pacing in the making. */
  public static final class Builder {
    private static final Duration LONGEST = Duration.ofDays(1);

    private Clock clock = Clock.system();
    private Timer timer = Timer.system();
    private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
    private int attempts = 4;
    private int budgetPercent = 10;
    private Duration longestWait = Duration.ofSeconds(30);
    private Duration firstBackoff = Duration.ofSeconds(1);
    private Duration longestBackoff = Duration.ofSeconds(30);
    private BiFunction<String, URI, String> kinds = Pacing::kind;
    private BiPredicate<String, URI> repeatable = (method, uri) -> IDEMPOTENT.contains(method);
    private PaceListener listener = PaceListener.NONE;

    private Builder() {}

    /**
     * How long a call may take until it is sent for the last time; 30 s if not said. One that would
     * have to wait longer fails at once with a {@link PaceException}, or if it was refused, is
     * answered with the refusal.
     */
    public Builder longestWait(Duration wait) {
      longestWait = checkWait(wait);
      return this;
    }

    /** How often a call is sent at most, the first time included; 4 if not said. */
    public Builder attempts(int most) {
      if (most < 1) {
        throw new IllegalArgumentException(most + " attempts cannot be; write at least 1");
      }
      attempts = most;
      return this;
    }

    /**
     * How much a service that fails may be called more than without repeating, in percent of the
     * calls; 10 if not said. Repeating a refused call at the time it was told costs nothing of it.
     */
    public Builder retryBudget(int percent) {
      if (percent < 0 || percent > 100) {
        throw new IllegalArgumentException(
            "a budget of " + percent + "% cannot be; write 0 to 100");
      }
      budgetPercent = percent;
      return this;
    }

    /** How long to back off the first time and at most; 1 s and 30 s if not said. */
    public Builder backoff(Duration first, Duration longest) {
      firstBackoff = check("a backoff", first);
      longestBackoff = check("a backoff", longest);
      return this;
    }

    /**
     * Sorts calls, by method and URI, into classes of which each is held off by itself; by method
     * and the first two segments of the path if not said.
     */
    public Builder classes(BiFunction<String, URI, String> names) {
      kinds = names;
      return this;
    }

    /**
     * Which calls may be sent again, by method and URI; those that are idempotent by their method
     * if not said. Calls with an {@code Idempotency-Key} always may.
     */
    public Builder repeats(BiPredicate<String, URI> these) {
      repeatable = these;
      return this;
    }

    public Builder listener(PaceListener one) {
      listener = one;
      return this;
    }

    /** The time; with a clock that is turned by hand, something must ring the timer. */
    Builder time(Clock one, Timer rings) {
      clock = one;
      timer = rings;
      return this;
    }

    /** Chance, between 0 and 1. */
    Builder random(DoubleSupplier one) {
      random = one;
      return this;
    }

    public Pacing build() {
      return new Pacing(this);
    }

    private static Duration check(String what, Duration duration) {
      if (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            what + " of " + duration + " cannot be; write more than zero and at most a day");
      }
      return duration;
    }
  }
}
