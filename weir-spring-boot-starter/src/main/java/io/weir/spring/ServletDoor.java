package io.weir.spring;

import io.weir.Decision;
import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.IpAddress;
import io.weir.http.servlet.ServletAnswer;
import io.weir.http.servlet.ServletCall;
import io.weir.spring.Desk.Stage;
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
final class ServletDoor implements Filter {
  private final Desk desk;
  private final ServletHandlers handlers;
  private final Stage stage;

  ServletDoor(Desk desk, ServletHandlers handlers, Stage stage) {
    this.desk = desk;
    this.handlers = handlers;
    this.stage = stage;
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse back
        && !admits(new ServletCall(http), new ServletAnswer(back))) {
      return;
    }
    chain.doFilter(request, response);
  }

  /** Whether it may go on; if not, it is answered. */
  private boolean admits(ServletCall call, ServletAnswer answer) throws IOException {
    Plan.Part part = desk.part(stage);
    if (part.isEmpty() || !call.isNew()) {
      return true;
    }
    Request request;
    try {
      HandlerMethod handler = part.handlers() ? handlers.find(call.request()) : null;
      request = desk.read(new Call(call, handler), part);
    } catch (BadRequestException e) {
      answer.refuse(e);
      return false;
    }
    Decision decision = desk.limiter(stage).decideNow(request);
    trail(call.request()).add(desk.limiter(stage), decision, answer.response()::setHeader);
    if (!decision.allowed()) {
      answer.refuse(Desk.refusal(decision));
      return false;
    }
    ServletAnswer.hold(decision.delay());
    return true;
  }

  private static Trail trail(HttpServletRequest request) {
    if (request.getAttribute(Trail.NAME) instanceof Trail begun) {
      return begun;
    }
    Trail trail = new Trail();
    request.setAttribute(Trail.NAME, trail);
    return trail;
  }

  /** A servlet's request. */
  private record Call(ServletCall servlet, @Nullable HandlerMethod handler) implements SpringCall {

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
