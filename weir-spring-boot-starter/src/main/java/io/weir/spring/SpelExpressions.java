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
 * Expressions of the application's own over a {@link SpringRequest}. Beans are {@code @name}.
 *
 * <p>Safe for any number of threads.
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
   * Reads an expression, with its braces or without.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  Expression parse(String text) {
    boolean braces = text.startsWith("#{") && text.endsWith("}");
    try {
      return parser.parseExpression(braces ? text.substring(2, text.length() - 1) : text);
    } catch (ParseException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is no expression (" + e.getSimpleMessage() + "); write one such as #{ip}",
          e);
    }
  }

  /**
   * What an expression says of a request; null if it says nothing or fails. A failure must neither
   * refuse nor free a caller: who has no value is counted by address.
   */
  @Nullable String evaluate(String text, SpringRequest call) {
    try {
      Expression expression = parsedExpressions.computeIfAbsent(text, this::parse);
      Object value = expression.getValue(context, call);
      return value == null ? null : value.toString();
    } catch (SpelEvaluationException e) {
      LOG.log(Level.DEBUG, "{0} says nothing: {1}", text, e.getMessage());
      return null;
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "{0} fails and is taken as no value: {1}", text, e.toString());
      return null;
    }
  }
}
