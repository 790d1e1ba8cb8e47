package io.weir.spring;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.server.RequestPath;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.servlet.HandlerExecutionChain;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping;
import org.springframework.web.util.ServletRequestPathUtils;

/** Finds the controller method that handles a request, with the dispatcher's mappings. */
final class ServletHandlerMethods
    extends HandlerMethods<HandlerMapping, RequestMappingInfoHandlerMapping> {

  ServletHandlerMethods(ObjectProvider<HandlerMapping> mappings) {
    super(
        mappings,
        RequestMappingInfoHandlerMapping.class,
        RequestMappingInfoHandlerMapping::getHandlerMethods);
  }

  @Nullable HandlerMethod find(HttpServletRequest request) {
    RequestPath before = parsedRequestPath(request);
    try {
      ServletRequestPathUtils.parseAndCache(request);
      for (HandlerMapping mapping : mappings()) {
        HandlerExecutionChain chain = mapping.getHandler(request);
        if (chain != null) {
          return chain.getHandler() instanceof HandlerMethod method ? method : null;
        }
      }
      return null;
    } catch (Exception e) {
      return null; // no method accepts this request; the dispatcher reports why
    } finally {
      ServletRequestPathUtils.setParsedRequestPath(before, request);
    }
  }

  private static @Nullable RequestPath parsedRequestPath(HttpServletRequest request) {
    return ServletRequestPathUtils.hasParsedRequestPath(request)
        ? ServletRequestPathUtils.getParsedRequestPath(request)
        : null;
  }
}
