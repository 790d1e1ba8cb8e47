package io.weir.spring;

import io.weir.rules.text.NameSuggestion;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;

/**
 * Finds names in a SpEL expression that no request can resolve: methods and properties that {@link
 * SpringRequest} does not have, and beans that do not exist. Such an expression never has a value.
 */
final class RootReferenceCheck {
  private static final Set<String> REQUEST_NAMES = new TreeSet<>();

  static {
    for (Method method : SpringRequest.class.getMethods()) {
      REQUEST_NAMES.add(method.getName());
    }
  }

  private final Predicate<String> beanExists;

  /**
   * @param beanExists tests whether there is a bean of that name
   */
  RootReferenceCheck(Predicate<String> beanExists) {
    this.beanExists = beanExists;
  }

  /**
   * Checks a node that is evaluated on the request, and all nodes below it.
   *
   * @throws IllegalArgumentException if a name cannot be resolved
   */
  void check(SpelNode node) {
    if (node instanceof MethodReference method) {
      checkName(method.getName());
    } else if (node instanceof PropertyOrFieldReference property) {
      checkName(property.getName());
    } else if (node instanceof BeanReference) {
      checkBean(node.toStringAST().replaceAll("[@&']", ""));
    }
    for (int i = 0; i < node.getChildCount(); i++) {
      SpelNode child = node.getChild(i);
      if (i == 0 || !(node instanceof CompoundExpression)) {
        check(child);
      } else if (!(child instanceof Selection) && !(child instanceof Projection)) {
        checkArguments(child); // the step itself is evaluated on the value of the one before
      }
    }
  }

  private void checkArguments(SpelNode step) {
    for (int i = 0; i < step.getChildCount(); i++) {
      check(step.getChild(i));
    }
  }

  private static void checkName(String name) {
    if (!REQUEST_NAMES.contains(name)) {
      throw new IllegalArgumentException(
          "a request has no '"
              + name
              + "'"
              + NameSuggestion.closest(name, REQUEST_NAMES)
                  .map(known -> "; did you mean " + known + "?")
                  .orElse(", for example use header('x-tenant') or variable('id')"));
    }
  }

  private void checkBean(String name) {
    if (!beanExists.test(name)) {
      throw new IllegalArgumentException("there is no bean '" + name + "'");
    }
  }
}
