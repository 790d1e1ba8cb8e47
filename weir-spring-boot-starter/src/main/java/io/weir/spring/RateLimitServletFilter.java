package io.weir.spring;

import io.weir.Decision;
import io.weir.Request;
import io.weir.http.RefusalResponse;
import io.weir.http.servlet.AbstractRateLimitFilter;
import io.weir.http.servlet.ServletRequestAdapter;
import io.weir.spring.RateLimitService.FilterStage;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.security.Principal;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** The rate limit filter of servlet applications, before or after authentication. */
final class RateLimitServletFilter extends AbstractRateLimitFilter {
  private final RateLimitService service;
  private final ServletHandlerMethods handlers;
  private final FilterStage stage;

  RateLimitServletFilter(
      RateLimitService service, ServletHandlerMethods handlers, FilterStage stage) {
    this.service = service;
    this.handlers = handlers;
    this.stage = stage;
  }

  @Override
  protected @Nullable RefusalResponse decide(
      HttpServletRequest request, HttpServletResponse response) {
    StagedRuleSet.StageRules rules = service.stageRules(stage);
    if (rules.isEmpty()) {
      if (stage == FilterStage.BEFORE_AUTHENTICATION) {
        var unused = decisionChain(request); // completed here, where Security's answer is known
      }
      return null;
    }
    HandlerMethod handler = rules.needsHandler() ? handlers.find(request) : null;
    Request read = service.read(new ServletSpringRequest(request, handler), rules);
    Decision decision = acquire(request, service.limiter(stage), read);
    decisionChain(request).add(service.limiter(stage), decision, response::setHeader);
    if (!decision.allowed()) {
      return service.refusal(decision);
    }
    sleepFor(decision.delay());
    return null;
  }

  /** Has an effect in the first filter of the request only, which completes all its decisions. */
  @Override
  protected void complete(HttpServletRequest request, int status) {
    if (request.getAttribute(DecisionChain.ATTRIBUTE_NAME) instanceof DecisionChain chain) {
      chain.complete(this, status);
    }
  }

  private DecisionChain decisionChain(HttpServletRequest request) {
    if (request.getAttribute(DecisionChain.ATTRIBUTE_NAME) instanceof DecisionChain existing) {
      return existing;
    }
    DecisionChain chain = new DecisionChain(this);
    request.setAttribute(DecisionChain.ATTRIBUTE_NAME, chain);
    return chain;
  }

  /** A servlet request as the rules and expressions read it. */
  private static final class ServletSpringRequest extends ServletRequestAdapter
      implements SpringRequest {
    private final HttpServletRequest request;
    private final @Nullable HandlerMethod handler;

    ServletSpringRequest(HttpServletRequest request, @Nullable HandlerMethod handler) {
      super(request);
      this.request = request;
      this.handler = handler;
    }

    @Override
    public @Nullable Principal principal() {
      return request.getUserPrincipal();
    }

    @Override
    public @Nullable HandlerMethod handler() {
      return handler;
    }

    @Override
    @SuppressWarnings("unchecked") // Spring documents this type
    public Map<String, String> variables() {
      Object found = request.getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
      return found == null ? Map.of() : (Map<String, String>) found;
    }
  }
}
