package io.weir.spring;

import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.Identity;
import java.security.Principal;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/** Makes of a request what the limiter is asked. Safe for any number of threads; never waits. */
final class CallReader {
  /** What is longer is taken as no value. */
  private static final int LONGEST = 8192;

  private final Expressions expressions;
  private final Map<String, String> own;
  private volatile AnnotatedRules.Found annotated = AnnotatedRules.Found.none();

  /**
   * @param own {@code weir.attributes}: names and expressions
   */
  CallReader(Expressions expressions, Map<String, String> own) {
    this.expressions = expressions;
    this.own = own;
  }

  void annotated(AnnotatedRules.Found found) {
    annotated = found;
  }

  /**
   * @throws BadRequestException if it could be read in more than one way: answer 400
   */
  Request read(SpringCall call, Identity identity, Plan.Part part) {
    return identity
        .read(
            call.peer(),
            call.method(),
            call.target(),
            call,
            (ip, attributes) -> tell(call, part, ip, attributes))
        .request();
  }

  private void tell(
      SpringCall call, Plan.Part part, String ip, BiConsumer<String, String> attributes) {
    Principal principal = call.principal();
    String user = usable(principal == null ? null : principal.getName());
    if (user != null) {
      attributes.accept(Attribute.USER, user);
    }
    attributes.accept(Attribute.PRINCIPAL, user == null ? "ip:" + ip : "user:" + user);
    HandlerMethod handler = call.handler();
    HandlerNames.Name name = handler == null ? null : annotated.handlers().of(handler);
    if (name != null) {
      attributes.accept(Attribute.CONTROLLER, name.controller());
      attributes.accept(Attribute.HANDLER, name.handler());
    }
    for (String derived : part.derived()) {
      String plain = Attribute.withoutOrIp(derived);
      String value = usable(value(plain, call, part, name));
      if (plain.length() < derived.length()) {
        attributes.accept(derived, value == null ? "ip:" + ip : "is:" + value);
      } else if (value != null) {
        attributes.accept(derived, value);
      }
    }
  }

  private @Nullable String value(
      String attribute, SpringCall call, Plan.Part part, HandlerNames.@Nullable Name name) {
    Optional<String> header = Attribute.header(attribute);
    if (header.isPresent()) {
      return call.joined(header.get());
    }
    String expression = own.getOrDefault(attribute, part.expressions().get(attribute));
    if (expression == null && name != null) {
      String said = said(name.handler(), attribute);
      expression = said == null ? said(name.controller(), attribute) : said;
    }
    return expression == null ? null : expressions.value(expression, call);
  }

  private @Nullable String said(String place, String attribute) {
    return annotated.expressions().getOrDefault(place, Map.of()).get(attribute);
  }

  private static @Nullable String usable(@Nullable String value) {
    return value == null || value.isEmpty() || value.length() > LONGEST ? null : value;
  }
}
