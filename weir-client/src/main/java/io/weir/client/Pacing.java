package io.weir.client;

import io.weir.http.RefusalResponse;
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
  private static final int MAX_SERVICES = 1000;
  private static final long JITTER_DIVISOR = 10;
  private static final Set<String> IDEMPOTENT_METHODS =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");
  private static final Set<Integer> RETRYABLE_STATUSES =
      Set.of(RefusalResponse.STATUS, 502, RateLimitInfo.SERVICE_UNAVAILABLE, 504);

  final Clock clock;
  final DelayTimer timer;
  final DoubleSupplier random;
  final int maxAttempts;
  final int budgetPercent;
  private final Duration maxWait;
  private final long firstBackoffMicros;
  private final long maxBackoffMicros;
  private final BiFunction<String, URI, String> callClass;
  private final BiPredicate<String, URI> retryable;
  private final PacingListener listener;
  private final Map<String, ServiceState> services = new LinkedHashMap<>(16, 0.75f, true);

  private Pacing(PacingBuilder b) {
    clock = b.clock;
    timer = b.timer;
    random = b.random;
    maxAttempts = b.maxAttempts;
    budgetPercent = b.budgetPercent;
    maxWait = b.maxWait;
    firstBackoffMicros = micros(b.firstBackoff);
    maxBackoffMicros = micros(b.maxBackoff);
    callClass = b.callClass;
    retryable = b.retryable;
    listener = b.listener;
  }

  /** With everything as usual. */
  public static Pacing defaults() {
    return builder().build();
  }

  public static PacingBuilder builder() {
    return new PacingBuilder();
  }

  Duration maxWait() {
    return maxWait;
  }

  static Duration checkWait(Duration wait) {
    return PacingBuilder.check("a wait", wait);
  }

  /** Begins a call. */
  PacedCall newCall(String method, URI uri, boolean keyed, Duration wait) {
    PacedCallQueue lane = service(uri).queue(callClass.apply(method, uri));
    boolean again = keyed || retryable.test(method, uri);
    return new PacedCall(this, lane, uri, again, clock.micros() + micros(wait));
  }

  private ServiceState service(URI uri) {
    String name = (uri.getScheme() + "://" + uri.getAuthority()).toLowerCase(Locale.ROOT);
    synchronized (services) {
      ServiceState host = services.computeIfAbsent(name, n -> new ServiceState(this));
      if (services.size() > MAX_SERVICES) {
        services.remove(services.keySet().iterator().next());
      }
      return host;
    }
  }

  /** Reads what an answer tells. */
  RateLimitInfo readAnswer(int status, Function<String, List<String>> fields) {
    return RateLimitInfo.parse(status, fields, clock.wallMicros());
  }

  /** Whether a status says that the same call may well be answered later. */
  boolean isRetryable(int status) {
    return RETRYABLE_STATUSES.contains(status);
  }

  /**
   * For how long to stay away after an attempt: never less than told, and some more at random,
   * twice as much each time, for others were told the same.
   */
  long backoffMicros(long told, int attempt) {
    long backoff = Math.min(maxBackoffMicros, firstBackoffMicros << Math.min(attempt - 1, 20));
    if (told == 0) {
      return backoff / 2 + (long) (backoff / 2.0 * random.getAsDouble());
    }
    long spread = Math.min(maxBackoffMicros, Math.max(backoff, told / JITTER_DIVISOR));
    return told + (long) (spread * random.getAsDouble());
  }

  /** Tells the listener, whose failures are its own. */
  void notifyListener(Consumer<PacingListener> what) {
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
  private static String defaultCallClass(String method, URI uri) {
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    int second = path.indexOf('/', 1);
    int third = second < 0 ? -1 : path.indexOf('/', second + 1);
    return method + " " + (third < 0 ? path : path.substring(0, third));
  }

  /** Pacing in the making. */
  public static final class PacingBuilder {
    private static final Duration MAX_DURATION = Duration.ofDays(1);

    private Clock clock = Clock.system();
    private DelayTimer timer = DelayTimer.system();
    private DoubleSupplier random = () -> ThreadLocalRandom.current().nextDouble();
    private int maxAttempts = 4;
    private int budgetPercent = 10;
    private Duration maxWait = Duration.ofSeconds(30);
    private Duration firstBackoff = Duration.ofSeconds(1);
    private Duration maxBackoff = Duration.ofSeconds(30);
    private BiFunction<String, URI, String> callClass = Pacing::defaultCallClass;
    private BiPredicate<String, URI> retryable =
        (method, uri) -> IDEMPOTENT_METHODS.contains(method);
    private PacingListener listener = PacingListener.NONE;

    private PacingBuilder() {}

    /**
     * How long a call may take until it is sent for the last time; 30 s if not said. One that would
     * have to wait longer fails at once with a {@link PacingException}, or if it was refused, is
     * answered with the refusal.
     */
    public PacingBuilder maxWait(Duration wait) {
      maxWait = checkWait(wait);
      return this;
    }

    /** How often a call is sent at most, the first time included; 4 if not said. */
    public PacingBuilder maxAttempts(int most) {
      if (most < 1) {
        throw new IllegalArgumentException(most + " attempts cannot be; write at least 1");
      }
      maxAttempts = most;
      return this;
    }

    /**
     * How much a service that fails may be called more than without repeating, in percent of the
     * calls; 10 if not said. Repeating a refused call at the time it was told costs nothing of it.
     */
    public PacingBuilder retryBudget(int percent) {
      if (percent < 0 || percent > 100) {
        throw new IllegalArgumentException(
            "a budget of " + percent + "% cannot be; write 0 to 100");
      }
      budgetPercent = percent;
      return this;
    }

    /** How long to back off the first time and at most; 1 s and 30 s if not said. */
    public PacingBuilder backoff(Duration first, Duration longest) {
      firstBackoff = check("a backoff", first);
      maxBackoff = check("a backoff", longest);
      return this;
    }

    /**
     * Sorts calls, by method and URI, into classes of which each is held off by itself; by method
     * and the first two segments of the path if not said.
     */
    public PacingBuilder callClass(BiFunction<String, URI, String> names) {
      callClass = names;
      return this;
    }

    /**
     * Which calls may be sent again, by method and URI; those that are idempotent by their method
     * if not said. Calls with an {@code Idempotency-Key} always may.
     */
    public PacingBuilder retryIf(BiPredicate<String, URI> these) {
      retryable = these;
      return this;
    }

    public PacingBuilder listener(PacingListener one) {
      listener = one;
      return this;
    }

    /** The time; with a clock that is turned by hand, something must ring the timer. */
    PacingBuilder time(Clock one, DelayTimer rings) {
      clock = one;
      timer = rings;
      return this;
    }

    /** Chance, between 0 and 1. */
    PacingBuilder random(DoubleSupplier one) {
      random = one;
      return this;
    }

    public Pacing build() {
      return new Pacing(this);
    }

    private static Duration check(String what, Duration duration) {
      if (duration.isNegative() || duration.isZero() || duration.compareTo(MAX_DURATION) > 0) {
        throw new IllegalArgumentException(
            what + " of " + duration + " cannot be; write more than zero and at most a day");
      }
      return duration;
    }
  }
}
