package io.weir.client;

import io.weir.http.RefusalResponse;
import io.weir.internal.store.CircuitBreaker;
import io.weir.internal.store.StoreException;
import io.weir.store.Clock;
import io.weir.store.StoreFailureKind;
import io.weir.store.StoreListener;
import io.weir.store.StoreOperation;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls the decision API over HTTP, with a deadline and a circuit breaker: a service that does not
 * answer is only probed. Thread-safe.
 */
final class DecisionServiceClient {
  private static final Logger LOG = System.getLogger(RemoteLimiter.class.getName());
  private static final long PROBE_INTERVAL_MICROS = 100_000;
  private static final long OPEN_AFTER_DEADLINES = 2;
  private static final long CONNECT_TIMEOUT_MILLIS = 1000;
  private static final int BAD_REQUEST = 400;

  private final HttpClient client;
  private final String address;
  private final long deadlineMicros;
  private final int maxInFlight;
  private final StoreListener listener;
  private final Clock clock;
  private final DelayTimer timer = DelayTimer.system();
  private final CircuitBreaker breaker;
  private final AtomicInteger inFlight = new AtomicInteger();

  DecisionServiceClient(
      HttpClient client,
      String address,
      Duration deadline,
      int maxInFlight,
      StoreListener listener,
      Clock clock) {
    this.client = client;
    this.address = address;
    this.deadlineMicros = deadline.toNanos() / 1000;
    this.maxInFlight = maxInFlight;
    this.listener = listener;
    this.clock = clock;
    breaker = new CircuitBreaker(OPEN_AFTER_DEADLINES * this.deadlineMicros, PROBE_INTERVAL_MICROS);
  }

  /** A request to the service. */
  record ServiceRequest(String method, String path, String body, StoreOperation mode) {}

  boolean available() {
    return !breaker.isOpen();
  }

  /**
   * Sends a request without effect and waits for it for up to a second, so that the first decision
   * finds an open connection. If the service is unreachable, decisions will connect to it later.
   */
  void connect() {
    CompletableFuture<?> connected = send(new ServiceRequest("GET", "/", "", StoreOperation.PEEK));
    try {
      connected.get(CONNECT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "the decision service at {0} does not answer yet", address);
      connected.cancel(true);
    }
  }

  /**
   * Sends a request.
   *
   * @param reader parses decisions, which are all responses other than 400 and 5xx, and 503 where
   *     the store of the service had no answer; throws an {@code IllegalArgumentException} if the
   *     response is invalid
   * @return the parsed response; empty if there was none in time
   */
  <T> CompletableFuture<Optional<T>> call(
      ServiceRequest call, Function<HttpResponse<String>, T> reader) {
    long now = clock.micros();
    if (!breaker.allowRequest(now)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    if (inFlight.incrementAndGet() > maxInFlight) {
      inFlight.decrementAndGet();
      notifyListener(
          l ->
              l.onFailure(
                  StoreFailureKind.OVERLOAD, "more than " + maxInFlight + " decisions in flight"));
      return CompletableFuture.completedFuture(Optional.empty());
    }
    PendingServiceCall<T> pending = new PendingServiceCall<>(call.mode(), now, reader);
    CompletableFuture<HttpResponse<String>> sent = send(call);
    var unused = sent.whenComplete(pending::onResponse);
    if (!pending.isDone()) {
      timer.schedule(
          deadlineMicros,
          () -> {
            pending.expire();
            sent.cancel(true);
          });
    }
    return pending;
  }

  private CompletableFuture<HttpResponse<String>> send(ServiceRequest call) {
    try {
      return client.sendAsync(request(call), BodyHandlers.ofString());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private HttpRequest request(ServiceRequest call) {
    return HttpRequest.newBuilder(URI.create(address + call.path()))
        .header("Content-Type", "application/json")
        .method(
            call.method(),
            call.body().isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(call.body()))
        .build();
  }

  /** A request in flight; completed once, by the first of: response, failure, deadline. */
  private final class PendingServiceCall<T> extends CompletableFuture<Optional<T>> {
    private final StoreOperation mode;
    private final long startMicros;
    private final Function<HttpResponse<String>, T> reader;
    private final AtomicBoolean settled = new AtomicBoolean();

    PendingServiceCall(StoreOperation mode, long began, Function<HttpResponse<String>, T> reader) {
      this.mode = mode;
      this.startMicros = began;
      this.reader = reader;
    }

    void onResponse(@Nullable HttpResponse<String> response, @Nullable Throwable thrown) {
      if (!settled.compareAndSet(false, true)) {
        return;
      }
      try {
        if (response == null) {
          throw toStoreException(thrown);
        }
        T answer = read(response);
        onAnswer(mode, startMicros);
        complete(Optional.of(answer));
      } catch (StoreException e) {
        // bad input is the caller's fault; the service is alive
        boolean alive = response != null && response.statusCode() == BAD_REQUEST;
        onFailure(e, alive);
        complete(Optional.empty());
      }
    }

    private T read(HttpResponse<String> response) {
      int status = response.statusCode();
      boolean failed = status == BAD_REQUEST || (status >= 500 && !isDecision(response));
      if (failed) {
        throw new StoreException(StoreFailureKind.ERROR, status + " " + shortened(response.body()));
      }
      try {
        return reader.apply(response);
      } catch (IllegalArgumentException e) {
        throw new StoreException(StoreFailureKind.GARBLED, status + ", " + e.getMessage());
      }
    }

    /** Returns whether the service answered that the store behind it has no answer. */
    private static boolean isDecision(HttpResponse<String> response) {
      return response.statusCode() == RefusalResponse.UNAVAILABLE
          && response.body().contains("\"error\":\"store_unavailable\"")
          && response.body().startsWith("{\"allowed\":false");
    }

    void expire() {
      if (settled.compareAndSet(false, true)) {
        onFailure(
            new StoreException(
                StoreFailureKind.TIMEOUT, "no answer in " + deadlineMicros / 1000 + " ms"),
            false);
        complete(Optional.empty());
      }
    }
  }

  private void onAnswer(StoreOperation mode, long began) {
    long now = clock.micros();
    inFlight.decrementAndGet();
    onAlive(now);
    notifyListener(l -> l.onAnswer(mode, now - began));
  }

  private void onFailure(StoreException failure, boolean alive) {
    long now = clock.micros();
    inFlight.decrementAndGet();
    notifyListener(l -> l.onFailure(failure.kind(), failure.reason()));
    if (alive) {
      onAlive(now);
    } else if (breaker.recordFailure(now)) {
      LOG.log(
          Level.WARNING,
          "the decision service at {0} is unavailable ({1}); probing it until it answers",
          address,
          failure.reason());
      notifyListener(l -> l.onUnavailable(failure.reason()));
    }
  }

  private void onAlive(long now) {
    if (breaker.recordSuccess()) {
      Duration away = Duration.ofNanos(breaker.failingMicros(now) * 1000);
      LOG.log(
          Level.INFO, "the decision service at {0} is available again after {1}", address, away);
      notifyListener(l -> l.onRecovery(away));
    }
  }

  private static StoreException toStoreException(@Nullable Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    boolean unreachable =
        cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
    return new StoreException(
        unreachable || cause instanceof IOException
            ? StoreFailureKind.UNREACHABLE
            : StoreFailureKind.ERROR,
        unreachable ? "connection failed" : String.valueOf(cause));
  }

  private static String shortened(String text) {
    return text.length() > 200 ? text.substring(0, 200) + "…" : text;
  }

  /** Calls the listener; its exceptions are ignored. */
  private void notifyListener(Consumer<StoreListener> event) {
    try {
      event.accept(listener);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "store listener failed; decisions are not affected", e);
    }
  }
}
