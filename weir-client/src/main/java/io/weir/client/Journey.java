package io.weir.client;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The answer of a trip over a non-blocking client, which goes on until there is one to keep. */
final class Journey<T> extends CompletableFuture<HttpResponse<T>> {
  private static final CompletableFuture<Void> NONE = CompletableFuture.completedFuture(null);

  private final Trip trip;
  private final Supplier<CompletableFuture<HttpResponse<T>>> attempt;
  private volatile CompletableFuture<?> underWay = NONE;

  Journey(Trip trip, Supplier<CompletableFuture<HttpResponse<T>>> attempt) {
    this.trip = trip;
    this.attempt = attempt;
  }

  void go() {
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
      sent = attempt.get();
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

  private void arrived(@Nullable HttpResponse<T> response, @Nullable Throwable thrown) {
    if (thrown != null) {
      trip.lost();
    }
    Throwable failure = thrown == null ? null : unwrapped(thrown);
    boolean passing = failure == null || failure instanceof IOException;
    if (!isDone() && passing && trip.repeats()) {
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

  private static Throwable unwrapped(Throwable t) {
    return t instanceof CompletionException && t.getCause() != null ? t.getCause() : t;
  }
}
