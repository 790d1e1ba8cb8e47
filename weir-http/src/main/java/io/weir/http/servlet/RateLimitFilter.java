package io.weir.http.servlet;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.http.IdentifiedRequest;
import io.weir.http.IdentityResolver;
import io.weir.http.RateLimitHeaders;
import io.weir.http.RefusalResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import org.jspecify.annotations.Nullable;

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
public final class RateLimitFilter extends AbstractRateLimitFilter {
  private final String decisionAttribute =
      RateLimitFilter.class.getName() + ".decision@" + hashCode();
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
  protected @Nullable RefusalResponse decide(
      HttpServletRequest request, HttpServletResponse response) {
    ServletRequestAdapter call = new ServletRequestAdapter(request);
    IdentifiedRequest identified =
        identityResolver.resolve(
            call.peer(),
            call.method(),
            call.target(),
            call,
            (ip, attributes) -> attributes.accept("user", user(request)));
    Decision decision = acquire(request, limiter, identified.request());
    request.setAttribute(decisionAttribute, decision);
    RateLimitHeaders.write(decision, response::setHeader);
    if (!decision.allowed()) {
      return RefusalResponse.of(decision, call.joined("Accept"));
    }
    if (identified.unauthorized()) {
      response.setHeader("WWW-Authenticate", identityResolver.challenge());
      return RefusalResponse.ofError(
          IdentifiedRequest.UNAUTHORIZED, "unauthorized", "send an API key or a token");
    }
    sleepFor(decision.delay());
    return null;
  }

  @Override
  protected void complete(HttpServletRequest request, int status) {
    if (request.getAttribute(decisionAttribute) instanceof Decision decision) {
      request.removeAttribute(decisionAttribute);
      var unused = limiter.complete(decision, status);
    }
  }

  /** Returns the user that the container has authenticated; empty if there is none. */
  private static String user(HttpServletRequest request) {
    Principal principal = request.getUserPrincipal();
    String name = principal == null ? null : principal.getName();
    return name == null ? "" : name;
  }
}
