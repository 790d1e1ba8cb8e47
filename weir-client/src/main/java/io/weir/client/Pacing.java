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
 * Settings for pacing calls, and the known limits of the called services. Clients that share one
 * instance share its limits. Thread-safe.
 *
 * <p>Limits are learned from {@code RateLimit} and {@code RateLimit-Policy}, {@code X-RateLimit-*}
 * and {@code Retry-After} (seconds, date, {@code Retry-After-Ms}), for each service and class of
 * call. Durations are capped at one day; invalid values are ignored.
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

  /** Returns pacing with default settings. */
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
    return PacingBuilder.check("wait", wait);
  }

  /** Creates a call that may wait for up to {@code wait}. */
  PacedCall newCall(String method, URI uri, boolean keyed, Duration wait) {
    PacedCallQueue queue = service(uri).queue(callClass.apply(method, uri));
    boolean mayRetry = keyed || retryable.test(method, uri);
    return new PacedCall(this, queue, uri, mayRetry, clock.micros() + micros(wait));
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

  /** Parses the limits that an answer reports. */
  RateLimitInfo readAnswer(int status, Function<String, List<String>> fields) {
    return RateLimitInfo.parse(status, fields, clock.wallMicros());
  }

  /** Returns whether a status is temporary, so that the same call may succeed later. */
  boolean isRetryable(int status) {
    return RETRYABLE_STATUSES.contains(status);
  }

  /**
   * Returns how long to back off after an attempt: never less than the service asked for, plus
   * random jitter that doubles with each attempt, because other clients got the same answer.
   */
  long backoffMicros(long retryAfter, int attempt) {
    long backoff = Math.min(maxBackoffMicros, firstBackoffMicros << Math.min(attempt - 1, 20));
    if (retryAfter == 0) {
      return backoff / 2 + (long) (backoff / 2.0 * random.getAsDouble());
    }
    long spread = Math.min(maxBackoffMicros, Math.max(backoff, retryAfter / JITTER_DIVISOR));
    return retryAfter + (long) (spread * random.getAsDouble());
  }

  /** Calls the listener; its exceptions are ignored. */
  void notifyListener(Consumer<PacingListener> event) {
    try {
      event.accept(listener);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "pacing listener failed; calls are not affected", e);
    }
  }

  static Duration duration(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1000;
  }

  /** Returns the method and the first two path segments, such as {@code GET /v1/orders}. */
  private static String defaultCallClass(String method, URI uri) {
    String path = uri.getRawPath() == null ? "" : uri.getRawPath();
    int second = path.indexOf('/', 1);
    int third = second < 0 ? -1 : path.indexOf('/', second + 1);
    return method + " " + (third < 0 ? path : path.substring(0, third));
  }

  /** Builds a {@link Pacing}. */
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
     * Sets how long a call may take until its last attempt is sent; 30 s by default. A call that
     * would have to wait longer fails at once with a {@link PacingException}; if it was already
     * refused, the refusal is returned.
     */
    public PacingBuilder maxWait(Duration wait) {
      maxWait = checkWait(wait);
      return this;
    }

    /** Sets the maximum number of attempts, including the first; 4 by default. */
    public PacingBuilder maxAttempts(int most) {
      if (most < 1) {
        throw new IllegalArgumentException("maxAttempts must be at least 1 (was " + most + ")");
      }
      maxAttempts = most;
      return this;
    }

    /**
     * Sets the retry budget: how many additional calls a failing service may receive, in percent of
     * the calls; 10 by default. Retrying a refused call after its Retry-After does not use the
     * budget.
     */
    public PacingBuilder retryBudget(int percent) {
      if (percent < 0 || percent > 100) {
        throw new IllegalArgumentException(
            "retryBudget must be between 0 and 100 percent (was " + percent + ")");
      }
      budgetPercent = percent;
      return this;
    }

    /** Sets the first and the maximum backoff; 1 s and 30 s by default. */
    public PacingBuilder backoff(Duration first, Duration longest) {
      firstBackoff = check("backoff", first);
      maxBackoff = check("backoff", longest);
      return this;
    }

    /**
     * Sets a function that assigns calls, by method and URI, to classes. A refusal holds only the
     * calls of its class. The default class is the method and the first two path segments.
     */
    public PacingBuilder callClass(BiFunction<String, URI, String> names) {
      callClass = names;
      return this;
    }

    /**
     * Sets which calls may be retried, by method and URI; those with an idempotent method by
     * default. Calls with an {@code Idempotency-Key} may always be retried.
     */
    public PacingBuilder retryIf(BiPredicate<String, URI> these) {
      retryable = these;
      return this;
    }

    public PacingBuilder listener(PacingListener one) {
      listener = one;
      return this;
    }

    /** Sets clock and timer, for tests with simulated time. */
    PacingBuilder time(Clock one, DelayTimer rings) {
      clock = one;
      timer = rings;
      return this;
    }

    /** Sets the source of random numbers between 0 and 1. */
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
            what + " must be more than 0s and at most 1d (was " + duration + ")");
      }
      return duration;
    }
  }
}
