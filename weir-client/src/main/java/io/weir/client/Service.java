package io.weir.client;

import io.weir.store.Breaker;
import io.weir.store.Clock;
import io.weir.store.Mode;
import io.weir.store.StoreException;
import io.weir.store.StoreException.Kind;
import io.weir.store.StoreListener;
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
final class Service {
  private static final Logger LOG = System.getLogger(RemoteLimiter.class.getName());
  private static final long PROBE_EVERY = 100_000;
  private static final long PATIENCE_DEADLINES = 2;
  private static final long PATIENCE_MS = 1000;
  private static final int BAD_REQUEST = 400;

  private final HttpClient client;
  private final String address;
  private final long deadline;
  private final int mostWaiting;
  private final StoreListener listener;
  private final Clock clock;
  private final Timer timer = Timer.system();
  private final Breaker breaker;
  private final AtomicInteger waiting = new AtomicInteger();

  Service(
      HttpClient client,
      String address,
      Duration deadline,
      int mostWaiting,
      StoreListener listener,
      Clock clock) {
    this.client = client;
    this.address = address;
    this.deadline = deadline.toNanos() / 1000;
    this.mostWaiting = mostWaiting;
    this.listener = listener;
    this.clock = clock;
    breaker = new Breaker(PATIENCE_DEADLINES * this.deadline, PROBE_EVERY);
  }

  /** What is sent. */
  record Call(String method, String path, String body, Mode mode) {}

  boolean available() {
    return !breaker.isOpen();
  }

  /**
   * Asks for nothing, so that the first decision finds a connection, and waits for it a while. One
   * that cannot be reached yet will be found by the decisions.
   */
  void greet() {
    CompletableFuture<?> greeted = send(new Call("GET", "/", "", Mode.PEEK));
    try {
      greeted.get(PATIENCE_MS, TimeUnit.MILLISECONDS);
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
  <T> CompletableFuture<Optional<T>> ask(Call call, Function<HttpResponse<String>, T> reader) {
    long now = clock.micros();
    if (!breaker.admits(now)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    if (waiting.incrementAndGet() > mostWaiting) {
      waiting.decrementAndGet();
      tell(l -> l.failed(Kind.OVERLOAD, "more than " + mostWaiting + " decisions wait for it"));
      return CompletableFuture.completedFuture(Optional.empty());
    }
    Asked<T> asked = new Asked<>(call.mode(), now, reader);
    CompletableFuture<HttpResponse<String>> sent = send(call);
    var unused = sent.whenComplete(asked::arrived);
    if (!asked.isDone()) {
      timer.in(
          deadline,
          () -> {
            asked.expire();
            sent.cancel(true);
          });
    }
    return asked;
  }

  private CompletableFuture<HttpResponse<String>> send(Call call) {
    try {
      return client.sendAsync(request(call), BodyHandlers.ofString());
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private HttpRequest request(Call call) {
    return HttpRequest.newBuilder(URI.create(address + call.path()))
        .header("Content-Type", "application/json")
        .method(
            call.method(),
            call.body().isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(call.body()))
        .build();
  }

  /** One question; settled once, by its answer or by the deadline. */
  private final class Asked<T> extends CompletableFuture<Optional<T>> {
    private final Mode mode;
    private final long began;
    private final Function<HttpResponse<String>, T> reader;
    private final AtomicBoolean settled = new AtomicBoolean();

    Asked(Mode mode, long began, Function<HttpResponse<String>, T> reader) {
      this.mode = mode;
      this.began = began;
      this.reader = reader;
    }

    void arrived(@Nullable HttpResponse<String> response, @Nullable Throwable thrown) {
      if (!settled.compareAndSet(false, true)) {
        return;
      }
      try {
        if (response == null) {
          throw failure(thrown);
        }
        T answer = read(response);
        answered(mode, began);
        complete(Optional.of(answer));
      } catch (StoreException e) {
        // bad input is the caller's fault; the service answers
        boolean alive = response != null && response.statusCode() == BAD_REQUEST;
        failed(e, alive);
        complete(Optional.empty());
      }
    }

    private T read(HttpResponse<String> response) {
      int status = response.statusCode();
      if (status == BAD_REQUEST || status >= 500) {
        throw new StoreException(Kind.ERROR, status + " " + shortened(response.body()));
      }
      try {
        return reader.apply(response);
      } catch (IllegalArgumentException e) {
        throw new StoreException(Kind.GARBLED, status + ", " + e.getMessage());
      }
    }

    void expire() {
      if (settled.compareAndSet(false, true)) {
        failed(new StoreException(Kind.TIMEOUT, "no answer in " + deadline / 1000 + " ms"), false);
        complete(Optional.empty());
      }
    }
  }

  private void answered(Mode mode, long began) {
    long now = clock.micros();
    waiting.decrementAndGet();
    found(now);
    tell(l -> l.answered(mode, now - began));
  }

  private void failed(StoreException failure, boolean alive) {
    long now = clock.micros();
    waiting.decrementAndGet();
    tell(l -> l.failed(failure.kind(), failure.reason()));
    if (alive) {
      found(now);
    } else if (breaker.failed(now)) {
      LOG.log(
          Level.WARNING,
          "the decision service at {0} is lost ({1}); asking it now and then until it answers",
          address,
          failure.reason());
      tell(l -> l.lost(failure.reason()));
    }
  }

  private void found(long now) {
    if (breaker.answered()) {
      Duration away = Duration.ofNanos(breaker.failingFor(now) * 1000);
      LOG.log(Level.INFO, "the decision service at {0} answers again after {1}", address, away);
      tell(l -> l.found(away));
    }
  }

  private static StoreException failure(@Nullable Throwable thrown) {
    Throwable cause =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    boolean away =
        cause instanceof ConnectException || cause instanceof HttpConnectTimeoutException;
    return new StoreException(
        away || cause instanceof IOException ? Kind.UNREACHABLE : Kind.ERROR,
        away ? "it cannot be reached" : String.valueOf(cause));
  }

  private static String shortened(String text) {
    return text.length() > 200 ? text.substring(0, 200) + "…" : text;
  }

  /** Tells the listener, whose failures are its own. */
  private void tell(Consumer<StoreListener> what) {
    try {
      what.accept(listener);
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "a store listener fails; decisions are not affected", e);
    }
  }
}
