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

/** Converts a Spring request to a limiter request. Thread-safe; never blocks. */
final class SpringRequestReader {
  /** Longer values are treated as missing. */
  private static final int MAX_VALUE_LENGTH = 8192;

  private final SpelExpressions expressions;
  private final Map<String, String> customAttributes;
  private volatile AnnotationRuleReader.AnnotationRules annotationRules =
      AnnotationRuleReader.AnnotationRules.empty();

  /**
   * @param customAttributes {@code weir.attributes}: expressions by name
   */
  SpringRequestReader(SpelExpressions expressions, Map<String, String> customAttributes) {
    this.expressions = expressions;
    this.customAttributes = customAttributes;
  }

  void setAnnotationRules(AnnotationRuleReader.AnnotationRules rules) {
    annotationRules = rules;
  }

  /**
   * @throws BadRequestException if the request is ambiguous; the response is 400
   */
  Request read(SpringRequest call, IdentityResolver identity, StagedRuleSet.StageRules stageRules) {
    return identity
        .resolve(
            call.peer(),
            call.method(),
            call.target(),
            call,
            (ip, attributes) -> addAttributes(call, stageRules, ip, attributes))
        .request();
  }

  private void addAttributes(
      SpringRequest call,
      StagedRuleSet.StageRules stageRules,
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
    for (String derived : stageRules.derivedAttributes()) {
      String plain = AttributeNames.withoutOrIpSuffix(derived);
      String value = validOrNull(value(plain, call, stageRules, name));
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
      StagedRuleSet.StageRules stageRules,
      HandlerNames.@Nullable HandlerAttributes name) {
    Optional<String> header = AttributeNames.headerName(attribute);
    if (header.isPresent()) {
      return call.joined(header.get());
    }
    String expression =
        customAttributes.getOrDefault(attribute, stageRules.expressions().get(attribute));
    if (expression == null && name != null) {
      String ofHandler = annotationExpression(name.handler(), attribute);
      expression =
          ofHandler == null ? annotationExpression(name.controller(), attribute) : ofHandler;
    }
    return expression == null ? null : expressions.evaluate(expression, call);
  }

  private @Nullable String annotationExpression(String target, String attribute) {
    return annotationRules.expressions().getOrDefault(target, Map.of()).get(attribute);
  }

  private static @Nullable String validOrNull(@Nullable String value) {
    return value == null || value.isEmpty() || value.length() > MAX_VALUE_LENGTH ? null : value;
  }
}
