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
 * The answer of a trip over a non-blocking client, which goes on until there is one to keep. The
 * caller's body handler sees that one only; the bodies of others are thrown away.
 */
final class Journey<T> extends CompletableFuture<HttpResponse<T>> {
  private static final CompletableFuture<Void> NONE = CompletableFuture.completedFuture(null);

  private final Trip trip;
  private final Function<BodyHandler<T>, CompletableFuture<HttpResponse<T>>> attempt;
  private final BodyHandler<T> handler;
  private final Function<ResponseInfo, Told> reader;
  private volatile CompletableFuture<?> underWay = NONE;
  private volatile boolean again;

  Journey(
      Trip trip,
      Function<BodyHandler<T>, CompletableFuture<HttpResponse<T>>> attempt,
      BodyHandler<T> handler,
      Function<ResponseInfo, Told> reader) {
    this.trip = trip;
    this.attempt = attempt;
    this.handler = handler;
    this.reader = reader;
  }

  void go() {
    again = false;
    var unused =
        trip.turn().whenComplete((go, late) -> onward(late == null ? null : unwrapped(late)));
  }

  private void onward(@Nullable Throwable late) {
    if (late != null) {
      completeExceptionally(late);
      return;
    }
    if (isDone()) {
      trip.abandon();
      return;
    }
    CompletableFuture<HttpResponse<T>> sent;
    try {
      sent = attempt.apply(this::told);
    } catch (RuntimeException e) {
      trip.lost();
      completeExceptionally(e);
      return;
    }
    underWay = sent;
    if (isCancelled()) {
      sent.cancel(true);
    }
    var unused = sent.whenComplete(this::arrived);
  }

  private BodySubscriber<T> told(ResponseInfo info) {
    trip.told(reader.apply(info));
    again = trip.repeats();
    return again
        ? BodySubscribers.mapping(BodySubscribers.discarding(), nothing -> null)
        : handler.apply(info);
  }

  private void arrived(@Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
    Throwable failure = thrown == null ? null : unwrapped(thrown);
    if (failure != null && !again) {
      trip.lost();
      again = failure instanceof IOException && !isDone() && trip.repeats();
    }
    if (again && !isDone()) {
      go();
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
      trip.abandon();
      underWay.cancel(interrupt);
    }
    return cancelled;
  }

  /** Throws what a blocking call would have thrown. */
  static IOException thrown(ExecutionException e) {
    Throwable cause = e.getCause();
    if (cause instanceof RuntimeException unchecked) {
      throw unchecked;
    }
    return cause instanceof IOException checked ? checked : new IOException(cause);
  }

  private static Throwable unwrapped(Throwable t) {
    return t instanceof CompletionException && t.getCause() != null ? t.getCause() : t;
  }
}
