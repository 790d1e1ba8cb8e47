package io.weir.http.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.http.BadRequestException;
import io.weir.http.RefusalResponse;
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
import org.jspecify.annotations.Nullable;

/**
 * A servlet filter that decides on the initial dispatch of each request. Forwards, error pages and
 * asynchronous dispatches have already been counted.
 */
public abstract class AbstractRateLimitFilter implements Filter {

  @Override
  public final void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse httpResponse
        && http.getDispatcherType() == DispatcherType.REQUEST) {
      RefusalResponse refusal = decideOrReject(http, httpResponse);
      if (refusal != null) {
        write(httpResponse, refusal);
        return;
      }
    }
    chain.doFilter(request, response);
  }

  /**
   * Decides on a request and sets the rate limit headers. Blocks for the delay of the decision.
   *
   * @return the response to a request that is not admitted; null if the request may continue
   * @throws BadRequestException if the request is ambiguous; the response is 400
   */
  protected abstract @Nullable RefusalResponse decide(
      HttpServletRequest request, HttpServletResponse response);

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
