package io.weir.http.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.RefusalResponse;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A servlet filter that decides on the initial dispatch of each request. Forwards, error pages and
 * asynchronous dispatches have already been counted.
 */
public abstract class AbstractRateLimitFilter implements Filter {
  private static final AtomicInteger FILTERS = new AtomicInteger();

  /** The request attribute for the permit of this filter; others may decide on the same request. */
  private final String permitAttribute =
      AbstractRateLimitFilter.class.getName() + "." + FILTERS.incrementAndGet();

  private static final int SERVER_ERROR = 500;

  @Override
  public final void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse httpResponse
        && http.getDispatcherType() == DispatcherType.REQUEST) {
      RefusalResponse refusal = decideOrReject(http, httpResponse);
      if (refusal != null) {
        release(http);
        write(httpResponse, refusal);
        complete(http, refusal.status());
        return;
      }
      filterAndComplete(http, httpResponse, chain);
      return;
    }
    chain.doFilter(request, response);
  }

  /** Continues, and completes the decision when the request or its asynchronous part has ended. */
  private void filterAndComplete(
      HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    boolean returned = false;
    try {
      chain.doFilter(request, response);
      returned = true;
    } finally {
      if (!returned) {
        // the container will answer with an error page, unless the response has begun
        end(request, response.isCommitted() ? response.getStatus() : SERVER_ERROR);
      } else if (request.isAsyncStarted()) {
        request.getAsyncContext().addListener(new AsyncCompletion(request, response));
      } else {
        end(request, response.getStatus());
      }
    }
  }

  /**
   * Decides on a request. The slots of in-flight limits that it takes are released when the request
   * has ended: normally, with an exception, or asynchronously.
   */
  protected final Decision acquire(HttpServletRequest request, Limiter limiter, Request call) {
    Limiter.Permit permit = limiter.acquire(call);
    if (permit.isHeld()) {
      request.setAttribute(permitAttribute, permit);
    }
    return permit.decision();
  }

  private void end(HttpServletRequest request, int status) {
    release(request);
    complete(request, status);
  }

  private void release(HttpServletRequest request) {
    if (request.getAttribute(permitAttribute) instanceof Limiter.Permit permit) {
      permit.close();
    }
  }

  /** Completes the decision of a request that is handled asynchronously, once. */
  private final class AsyncCompletion implements AsyncListener {
    private final HttpServletRequest request;
    private final HttpServletResponse response;

    AsyncCompletion(HttpServletRequest request, HttpServletResponse response) {
      this.request = request;
      this.response = response;
    }

    @Override
    public void onComplete(AsyncEvent event) {
      end(request, response.getStatus());
    }

    /** The container answers with an error and then calls {@link #onComplete}. */
    @Override
    public void onTimeout(AsyncEvent event) {}

    @Override
    public void onError(AsyncEvent event) {}

    /** The next asynchronous cycle of the same request, which has no listeners yet. */
    @Override
    public void onStartAsync(AsyncEvent event) {
      event.getAsyncContext().addListener(this);
    }
  }

  /**
   * Decides on a request and sets the rate limit headers. Blocks for the delay of the decision.
   *
   * @return the response to a request that is not admitted; null if the request may continue
   * @throws BadRequestException if the request is ambiguous; the response is 400
   */
  protected abstract @Nullable RefusalResponse decide(
      HttpServletRequest request, HttpServletResponse response);

  /**
   * Completes the decision on a request, if there is one; called when the response has ended.
   *
   * @param status the status of the response
   */
  protected abstract void complete(HttpServletRequest request, int status);

  private @Nullable RefusalResponse decideOrReject(
      HttpServletRequest request, HttpServletResponse response) {
    try {
      return decide(request, response);
    } catch (BadRequestException e) {
      return RefusalResponse.of(e);
    }
  }

  private static void write(HttpServletResponse response, RefusalResponse refusal)
      throws IOException {
    byte[] body = refusal.body().getBytes(UTF_8);
    response.setStatus(refusal.status());
    response.setContentType(refusal.contentType());
    response.setContentLength(body.length);
    response.getOutputStream().write(body);
  }

  /** Blocks this thread for the delay of an admitted request. */
  protected static void sleepFor(Duration delay) {
    if (!delay.isZero()) {
      new CompletableFuture<Boolean>()
          .completeOnTimeout(true, delay.toNanos(), TimeUnit.NANOSECONDS)
          .join();
    }
  }
}
