package io.weir.spring;

import io.weir.Request;
import io.weir.http.BadRequestException;
import io.weir.http.IdentityResolver;
import java.security.Principal;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/** Makes of a request what the limiter is asked. Safe for any number of threads; never waits. */
final class SpringRequestReader {
  /** What is longer is taken as no value. */
  private static final int MAX_VALUE_LENGTH = 8192;

  private final SpelExpressions expressions;
  private final Map<String, String> customAttributes;
  private volatile AnnotationRuleReader.AnnotationRules annotationRules =
      AnnotationRuleReader.AnnotationRules.empty();

  /**
   * @param own {@code weir.attributes}: names and expressions
   */
  SpringRequestReader(SpelExpressions expressions, Map<String, String> own) {
    this.expressions = expressions;
    this.customAttributes = own;
  }

  void setAnnotationRules(AnnotationRuleReader.AnnotationRules found) {
    annotationRules = found;
  }

  /**
   * @throws BadRequestException if it could be read in more than one way: answer 400
   */
  Request read(SpringRequest call, IdentityResolver identity, StagedRuleSet.StageRules part) {
    return identity
        .resolve(
            call.peer(),
            call.method(),
            call.target(),
            call,
            (ip, attributes) -> addAttributes(call, part, ip, attributes))
        .request();
  }

  private void addAttributes(
      SpringRequest call,
      StagedRuleSet.StageRules part,
      String ip,
      BiConsumer<String, String> attributes) {
    Principal principal = call.principal();
    String user = validOrNull(principal == null ? null : principal.getName());
    if (user != null) {
      attributes.accept(AttributeNames.USER, user);
    }
    attributes.accept(AttributeNames.PRINCIPAL, user == null ? "ip:" + ip : "user:" + user);
    HandlerMethod handler = call.handler();
    HandlerNames.HandlerAttributes name =
        handler == null ? null : annotationRules.handlers().find(handler);
    if (name != null) {
      attributes.accept(AttributeNames.CONTROLLER, name.controller());
      attributes.accept(AttributeNames.HANDLER, name.handler());
    }
    for (String derived : part.derivedAttributes()) {
      String plain = AttributeNames.withoutOrIpSuffix(derived);
      String value = validOrNull(value(plain, call, part, name));
      if (plain.length() < derived.length()) {
        attributes.accept(derived, value == null ? "ip:" + ip : "is:" + value);
      } else if (value != null) {
        attributes.accept(derived, value);
      }
    }
  }

  private @Nullable String value(
      String attribute,
      SpringRequest call,
      StagedRuleSet.StageRules part,
      HandlerNames.@Nullable HandlerAttributes name) {
    Optional<String> header = AttributeNames.headerName(attribute);
    if (header.isPresent()) {
      return call.joined(header.get());
    }
    String expression = customAttributes.getOrDefault(attribute, part.expressions().get(attribute));
    if (expression == null && name != null) {
      String said = annotationExpression(name.handler(), attribute);
      expression = said == null ? annotationExpression(name.controller(), attribute) : said;
    }
    return expression == null ? null : expressions.evaluate(expression, call);
  }

  private @Nullable String annotationExpression(String place, String attribute) {
    return annotationRules.expressions().getOrDefault(place, Map.of()).get(attribute);
  }

  private static @Nullable String validOrNull(@Nullable String value) {
    return value == null || value.isEmpty() || value.length() > MAX_VALUE_LENGTH ? null : value;
  }
}
