package io.weir.client;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The response of a paced call sent by a non-blocking client; it completes with the last attempt.
 * The caller's body handler is used for the final response only; the bodies of retried responses
 * are discarded.
 */
final class RetryingExchange<T> extends CompletableFuture<HttpResponse<T>> {
  private static final CompletableFuture<Void> COMPLETED = CompletableFuture.completedFuture(null);

  private final PacedCall call;
  private final Function<BodyHandler<T>, CompletableFuture<HttpResponse<T>>> sender;
  private final BodyHandler<T> handler;
  private final Function<ResponseInfo, RateLimitInfo> reader;
  private volatile CompletableFuture<?> currentAttempt = COMPLETED;
  private volatile boolean retrying;

  RetryingExchange(
      PacedCall call,
      Function<BodyHandler<T>, CompletableFuture<HttpResponse<T>>> sender,
      BodyHandler<T> handler,
      Function<ResponseInfo, RateLimitInfo> reader) {
    this.call = call;
    this.sender = sender;
    this.handler = handler;
    this.reader = reader;
  }

  void start() {
    retrying = false;
    var unused =
        call.requestTurn().whenComplete((go, late) -> onTurn(late == null ? null : unwrap(late)));
  }

  private void onTurn(@Nullable Throwable late) {
    if (late != null) {
      completeExceptionally(late);
      return;
    }
    if (isDone()) {
      call.abandon();
      return;
    }
    CompletableFuture<HttpResponse<T>> sent;
    try {
      sent = sender.apply(this::onHeaders);
    } catch (RuntimeException e) {
      call.onNoAnswer();
      completeExceptionally(e);
      return;
    }
    currentAttempt = sent;
    if (isCancelled()) {
      sent.cancel(true);
    }
    var unused = sent.whenComplete(this::onAttemptDone);
  }

  private BodySubscriber<T> onHeaders(ResponseInfo info) {
    call.onAnswer(reader.apply(info));
    retrying = call.shouldRetry();
    return retrying
        ? BodySubscribers.mapping(BodySubscribers.discarding(), nothing -> null)
        : handler.apply(info);
  }

  private void onAttemptDone(@Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
    Throwable failure = thrown == null ? null : unwrap(thrown);
    if (failure != null && !retrying) {
      call.onNoAnswer();
      retrying = failure instanceof IOException && !isDone() && call.shouldRetry();
    }
    if (retrying && !isDone()) {
      start();
    } else if (failure != null) {
      completeExceptionally(failure);
    } else {
      complete(response);
    }
  }

  @Override
  public boolean cancel(boolean interrupt) {
    boolean cancelled = super.cancel(interrupt);
    if (cancelled) {
      call.abandon();
      currentAttempt.cancel(interrupt);
    }
    return cancelled;
  }

  /** Returns or throws the exception that a blocking call would have thrown. */
  static IOException toIoException(ExecutionException e) {
    Throwable cause = e.getCause();
    if (cause instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    return cause instanceof IOException checked ? checked : new IOException(cause);
  }

  private static Throwable unwrap(Throwable t) {
    return t instanceof CompletionException && t.getCause() != null ? t.getCause() : t;
  }
}
