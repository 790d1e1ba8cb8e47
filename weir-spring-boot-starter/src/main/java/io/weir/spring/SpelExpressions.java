package io.weir.spring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Parses and evaluates SpEL expressions over a {@link SpringRequest}. Beans are {@code @name}.
 *
 * <p>Thread-safe.
 */
final class SpelExpressions {
  private static final Logger LOG = System.getLogger(SpelExpressions.class.getName());

  /** Errors of steps on null, such as {@code principal.name} of an anonymous caller. */
  private static final Set<SpelMessage> NO_VALUE =
      EnumSet.of(
          SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
          SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
          SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE);

  private final SpelExpressionParser parser = new SpelExpressionParser();
  private final StandardEvaluationContext context = new StandardEvaluationContext();
  private final Map<String, Expression> parsedExpressions = new ConcurrentHashMap<>();
  private final Map<String, String> users = new ConcurrentHashMap<>();
  private final Set<String> failed = ConcurrentHashMap.newKeySet();
  private final RootReferenceCheck referenceCheck;

  SpelExpressions(BeanFactory beans) {
    context.setBeanResolver(new BeanFactoryResolver(beans));
    referenceCheck = new RootReferenceCheck(beans::containsBean);
  }

  /**
   * Parses an expression, with or without {@code #{…}}.
   *
   * @throws IllegalArgumentException if the expression is not valid, or can never have a value
   */
  Expression parse(String text) {
    boolean braces = text.startsWith("#{") && text.endsWith("}");
    try {
      SpelExpression expression =
          parser.parseRaw(braces ? text.substring(2, text.length() - 1) : text);
      referenceCheck.check(expression.getAST());
      return expression;
    } catch (ParseException e) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not a valid expression ("
              + e.getSimpleMessage()
              + "), for example #{header('x-tenant')}",
          e);
    }
  }

  /**
   * Returns the value of an expression; null if it has none or fails. A failing expression must
   * neither refuse nor exempt a caller: a request without value is counted by client address.
   */
  @Nullable String evaluate(String text, SpringRequest call) {
    try {
      Expression expression = parsedExpressions.computeIfAbsent(text, this::parse);
      Object value = expression.getValue(context, call);
      return value == null ? null : value.toString();
    } catch (RuntimeException e) {
      boolean isMissing =
          e instanceof SpelEvaluationException spel && NO_VALUE.contains(spel.getMessageCode());
      if (!isMissing && failed.add(text)) {
        LOG.log(
            Level.WARNING,
            "expression {0} of {1} failed; callers are counted by address instead: {2}",
            text,
            users.getOrDefault(text, "a rule"),
            e.toString());
      }
      return null;
    }
  }

  /** Records what uses an expression, to be named when it fails. */
  void recordUse(String text, String user) {
    users.merge(text, user, (first, other) -> first.contains(other) ? first : first + ", " + other);
  }
}
