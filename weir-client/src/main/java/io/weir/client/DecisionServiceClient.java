package io.weir.client;

import io.weir.store.CircuitBreaker;
import io.weir.store.Clock;
import io.weir.store.StoreException;
import io.weir.store.StoreException.StoreFailureKind;
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
 * The decision service as it is asked over HTTP: answers in time, or says that it did not. One that
 * has stopped answering is asked now and then only. Safe for any number of threads.
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
      int mostWaiting,
      StoreListener listener,
      Clock clock) {
    this.client = client;
    this.address = address;
    this.deadlineMicros = deadline.toNanos() / 1000;
    this.maxInFlight = mostWaiting;
    this.listener = listener;
    this.clock = clock;
    breaker = new CircuitBreaker(OPEN_AFTER_DEADLINES * this.deadlineMicros, PROBE_INTERVAL_MICROS);
  }

  /** What is sent. */
  record ServiceRequest(String method, String path, String body, StoreOperation mode) {}

  boolean available() {
    return !breaker.isOpen();
  }

  /**
   * Asks for nothing, so that the first decision finds a connection, and waits for it a while. One
   * that cannot be reached yet will be found by the decisions.
   */
  void connect() {
    CompletableFuture<?> greeted = send(new ServiceRequest("GET", "/", "", StoreOperation.PEEK));
    try {
      greeted.get(CONNECT_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.log(Level.DEBUG, "the decision service at {0} does not answer yet", address);
      greeted.cancel(true);
    }
  }

  /**
   * Asks.
   *
   * @param reader of an answer that is neither bad input nor a fault of the server; throws an
   *     {@code IllegalArgumentException} if it makes no sense
   * @return empty if there was no answer in time
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
                  StoreFailureKind.OVERLOAD,
                  "more than " + maxInFlight + " decisions wait for it"));
      return CompletableFuture.completedFuture(Optional.empty());
    }
    PendingServiceCall<T> asked = new PendingServiceCall<>(call.mode(), now, reader);
    CompletableFuture<HttpResponse<String>> sent = send(call);
    var unused = sent.whenComplete(asked::onResponse);
    if (!asked.isDone()) {
      timer.schedule(
          deadlineMicros,
          () -> {
            asked.expire();
            sent.cancel(true);
          });
    }
    return asked;
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

  /** One question; settled once, by its answer or by the deadline. */
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
        // bad input is the caller's fault; the service answers
        boolean alive = response != null && response.statusCode() == BAD_REQUEST;
        onFailure(e, alive);
        complete(Optional.empty());
      }
    }

    private T read(HttpResponse<String> response) {
      int status = response.statusCode();
      if (status == BAD_REQUEST || status >= 500) {
        throw new StoreException(StoreFailureKind.ERROR, status + " " + shortened(response.body()));
      }
      try {
        return reader.apply(response);
      } catch (IllegalArgumentException e) {
        throw new StoreException(StoreFailureKind.GARBLED, status + ", " + e.getMessage());
      }
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
          "the decision service at {0} is lost ({1}); asking it now and then until it answers",
          address,
          failure.reason());
      notifyListener(l -> l.onUnavailable(failure.reason()));
    }
  }

  private void onAlive(long now) {
    if (breaker.recordSuccess()) {
      Duration away = Duration.ofNanos(breaker.failingMicros(now) * 1000);
      LOG.log(Level.INFO, "the decision service at {0} answers again after {1}", address, away);
      notifyListener(l -> l.onRecovery(away));
    }
  }

  private static StoreException toStoreException(@Nullable Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    boolean away =
        cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
    return new StoreException(
        away || cause instanceof IOException
            ? StoreFailureKind.UNREACHABLE
            : StoreFailureKind.ERROR,
        away ? "it cannot be reached" : String.valueOf(cause));
  }

  private static String shortened(String text) {
    return text.length() > 200 ? text.substring(0, 200) + "…" : text;
  }

  /** Tells the listener, whose failures are its own. */
  private void notifyListener(Consumer<StoreListener> what) {
    try {
      what.accept(listener);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "a store listener fails; decisions are not affected", e);
    }
  }
}
