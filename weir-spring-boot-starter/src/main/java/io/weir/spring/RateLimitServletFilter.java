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

/** The filter of servlet applications, before authentication or after it. */
final class RateLimitServletFilter implements Filter {
  private final RateLimitService service;
  private final ServletHandlerMethods handlers;
  private final FilterStage stage;

  RateLimitServletFilter(RateLimitService desk, ServletHandlerMethods handlers, FilterStage stage) {
    this.service = desk;
    this.handlers = handlers;
    this.stage = stage;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse back
        && !tryAdmit(new ServletRequestAdapter(http), new ServletResponseWriter(back))) {
      return;
    }
    chain.doFilter(request, response);
  }

  /** Whether it may go on; if not, it is answered. */
  private boolean tryAdmit(ServletRequestAdapter call, ServletResponseWriter answer)
      throws IOException {
    StagedRuleSet.StageRules part = service.stageRules(stage);
    if (part.isEmpty() || !call.isInitialDispatch()) {
      return true;
    }
    Request request;
    try {
      HandlerMethod handler = part.needsHandler() ? handlers.find(call.request()) : null;
      request = service.read(new ServletSpringRequest(call, handler), part);
    } catch (BadRequestException e) {
      answer.writeRejection(e);
      return false;
    }
    Decision decision = service.limiter(stage).decideNow(request);
    decisionChain(call.request())
        .add(service.limiter(stage), decision, answer.response()::setHeader);
    if (!decision.allowed()) {
      answer.writeRejection(RateLimitService.refusal(decision));
      return false;
    }
    ServletResponseWriter.sleepFor(decision.delay());
    return true;
  }

  private static DecisionChain decisionChain(HttpServletRequest request) {
    if (request.getAttribute(DecisionChain.ATTRIBUTE_NAME) instanceof DecisionChain begun) {
      return begun;
    }
    DecisionChain trail = new DecisionChain();
    request.setAttribute(DecisionChain.ATTRIBUTE_NAME, trail);
    return trail;
  }

  /** A servlet's request. */
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
    @SuppressWarnings("unchecked") // so the framework says
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
