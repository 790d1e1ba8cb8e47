package io.weir.spring;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * Parses and evaluates SpEL expressions over a {@link SpringRequest}. Beans are {@code @name}.
 *
 * <p>Thread-safe.
 */
final class SpelExpressions {
  private static final Logger LOG = System.getLogger(SpelExpressions.class.getName());

  private final SpelExpressionParser parser = new SpelExpressionParser();
  private final StandardEvaluationContext context = new StandardEvaluationContext();
  private final Map<String, Expression> parsedExpressions = new ConcurrentHashMap<>();

  SpelExpressions(BeanFactory beans) {
    context.setBeanResolver(new BeanFactoryResolver(beans));
  }

  /**
   * Parses an expression, with or without {@code #{…}}.
   *
   * @throws IllegalArgumentException if the expression is not valid
   */
  Expression parse(String text) {
    boolean braces = text.startsWith("#{") && text.endsWith("}");
    try {
      return parser.parseExpression(braces ? text.substring(2, text.length() - 1) : text);
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
    } catch (SpelEvaluationException e) {
      LOG.log(Level.DEBUG, "expression {0} has no value: {1}", text, e.getMessage());
      return null;
    } catch (RuntimeException e) {
      LOG.log(
          Level.WARNING,
          "expression {0} failed and is treated as no value: {1}",
          text,
          e.toString());
      return null;
    }
  }
}
