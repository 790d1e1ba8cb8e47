package io.weir.http.servlet;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.http.BadRequestException;
import io.weir.http.IdentifiedRequest;
import io.weir.http.IdentityResolver;
import io.weir.http.RefusalResponse;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/**
 * A servlet filter that rate-limits the requests to a servlet container.
 *
 * <pre>{@code
 * Limiter limiter = Weir.inMemory(FileRules.open("file:rules.yaml"));
 * context.addFilter("weir", new RateLimitFilter(limiter)).addMappingForUrlPatterns(null, false, "/*");
 * }</pre>
 *
 * <p>Rules match the usual HTTP attributes; {@code user} is the user that the container has
 * authenticated. The request thread blocks while it waits for the store, at most for the store's
 * deadline, and for the delay of a leaky bucket.
 */
public final class RateLimitFilter implements Filter {
  private final Limiter limiter;
  private final IdentityResolver identityResolver;

  /** Creates a filter that identifies callers by the socket's address and trusts no proxy. */
  public RateLimitFilter(Limiter limiter) {
    this(limiter, IdentityResolver.builder().build());
  }

  public RateLimitFilter(Limiter limiter, IdentityResolver identity) {
    this.limiter = limiter;
    this.identityResolver = identity;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse httpResponse
        && !admits(new ServletRequestAdapter(http), new ServletResponseWriter(httpResponse))) {
      return;
    }
    chain.doFilter(request, response);
  }

  /** Returns whether the request may continue; otherwise the response has been written. */
  private boolean admits(ServletRequestAdapter call, ServletResponseWriter answer)
      throws IOException {
    if (!call.isInitialDispatch()) {
      return true;
    }
    IdentifiedRequest identified;
    try {
      identified =
          identityResolver.resolve(
              call.peer(),
              call.method(),
              call.target(),
              call,
              (ip, attributes) -> attributes.accept("user", call.user()));
    } catch (BadRequestException e) {
      answer.writeRejection(e);
      return false;
    }
    Decision decision = limiter.decideNow(identified.request());
    answer.writeRateLimitHeaders(decision);
    if (!decision.allowed()) {
      answer.writeRejection(RefusalResponse.of(decision, call.joined("Accept")));
      return false;
    }
    if (identified.unauthorized()) {
      answer.response().setHeader("WWW-Authenticate", identityResolver.challenge());
      answer.writeError(
          IdentifiedRequest.UNAUTHORIZED, "unauthorized", "send an API key or a token");
      return false;
    }
    ServletResponseWriter.sleepFor(decision.delay());
    return true;
  }
}
