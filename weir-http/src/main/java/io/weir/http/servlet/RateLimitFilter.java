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
 * Limits what comes to a servlet container, whatever runs in it.
 *
 * <pre>{@code
 * Limiter limiter = Weir.inMemory(FileRules.open("file:rules.yaml"));
 * context.addFilter("weir", new RateLimitFilter(limiter)).addMappingForUrlPatterns(null, false, "/*");
 * }</pre>
 *
 * <p>Rules see the attributes every door gives, and as {@code user} whom the container has
 * authenticated. Its thread waits for a store that is away, for the store's deadline at most, and
 * for a leaky bucket's turn.
 */
public final class RateLimitFilter implements Filter {
  private final Limiter limiter;
  private final IdentityResolver identityResolver;

  /** Limits by a socket's address, believing no proxy. */
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
        && response instanceof HttpServletResponse back
        && !admits(new ServletRequestAdapter(http), new ServletResponseWriter(back))) {
      return;
    }
    chain.doFilter(request, response);
  }

  /** Whether it may go on; if not, it is answered. */
  private boolean admits(ServletRequestAdapter call, ServletResponseWriter answer)
      throws IOException {
    if (!call.isInitialDispatch()) {
      return true;
    }
    IdentifiedRequest read;
    try {
      read =
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
    Decision decision = limiter.decideNow(read.request());
    answer.writeRateLimitHeaders(decision);
    if (!decision.allowed()) {
      answer.writeRejection(RefusalResponse.of(decision, call.joined("Accept")));
      return false;
    }
    if (read.unauthorized()) {
      answer.response().setHeader("WWW-Authenticate", identityResolver.challenge());
      answer.writeError(
          IdentifiedRequest.UNAUTHORIZED, "unauthorized", "show an API key or a token");
      return false;
    }
    ServletResponseWriter.sleepFor(decision.delay());
    return true;
  }
}
