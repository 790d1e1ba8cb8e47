package io.weir.spring;

import io.weir.Decision;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.IpAddress;
import io.weir.http.servlet.ServletRequestAdapter;
import io.weir.http.servlet.ServletResponseWriter;
import io.weir.spring.RateLimitService.FilterStage;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerMapping;

/** The rate limit filter of servlet applications, before or after authentication. */
final class RateLimitServletFilter implements Filter {
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
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse httpResponse
        && !tryAdmit(new ServletRequestAdapter(http), new ServletResponseWriter(httpResponse))) {
      return;
    }
    chain.doFilter(request, response);
  }

  /** Returns whether the request is admitted; if not, the response has been written. */
  private boolean tryAdmit(ServletRequestAdapter call, ServletResponseWriter writer)
      throws IOException {
    StagedRuleSet.StageRules rules = service.stageRules(stage);
    if (rules.isEmpty() || !call.isInitialDispatch()) {
      return true;
    }
    Request request;
    try {
      HandlerMethod handler = rules.needsHandler() ? handlers.find(call.request()) : null;
      request = service.read(new ServletSpringRequest(call, handler), rules);
    } catch (BadRequestException e) {
      writer.writeRejection(e);
      return false;
    }
    Decision decision = service.limiter(stage).decideNow(request);
    decisionChain(call.request())
        .add(service.limiter(stage), decision, writer.response()::setHeader);
    if (!decision.allowed()) {
      writer.writeRejection(RateLimitService.refusal(decision));
      return false;
    }
    ServletResponseWriter.sleepFor(decision.delay());
    return true;
  }

  private static DecisionChain decisionChain(HttpServletRequest request) {
    if (request.getAttribute(DecisionChain.ATTRIBUTE_NAME) instanceof DecisionChain existing) {
      return existing;
    }
    DecisionChain chain = new DecisionChain();
    request.setAttribute(DecisionChain.ATTRIBUTE_NAME, chain);
    return chain;
  }

  /** A servlet request as the rules and expressions read it. */
  private record ServletSpringRequest(
      ServletRequestAdapter servlet, @Nullable HandlerMethod handler) implements SpringRequest {

    @Override
    public IpAddress peer() {
      return servlet.peer();
    }

    @Override
    public String method() {
      return servlet.method();
    }

    @Override
    public String target() {
      return servlet.target();
    }

    @Override
    public @Nullable Principal principal() {
      return servlet.request().getUserPrincipal();
    }

    @Override
    @SuppressWarnings("unchecked") // Spring documents this type
    public Map<String, String> variables() {
      Object found =
          servlet.request().getAttribute(HandlerMapping.URI_TEMPLATE_VARIABLES_ATTRIBUTE);
      return found == null ? Map.of() : (Map<String, String>) found;
    }

    @Override
    public @Nullable String get(String name) {
      return servlet.get(name);
    }

    @Override
    public List<String> all(String name) {
      return servlet.all(name);
    }
  }
}
