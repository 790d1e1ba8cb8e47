package io.weir.spring;

import io.weir.rule.Rule;
import io.weir.rules.text.Problem;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.web.method.HandlerMethod;

/**
 * Puts annotations in force once all controllers are there and before the first request, sees that
 * everything that is to limit can, and says what does.
 */
final class Start implements SmartInitializingSingleton {
  private static final Logger LOG = System.getLogger("io.weir");

  private final Environment environment;
  private final ConfigurableListableBeanFactory beans;
  private final Parts parts;
  private final List<Handlers> handlers;

  /** What is started. */
  record Parts(
      OpenRules written,
      LivePlan plan,
      CallReader reader,
      Expressions expressions,
      Map<String, String> own,
      Summary summary) {}

  Start(
      Environment environment,
      ConfigurableListableBeanFactory beans,
      Parts parts,
      List<Handlers> handlers) {
    this.environment = environment;
    this.beans = beans;
    this.parts = parts;
    this.handlers = handlers;
  }

  @Override
  public void afterSingletonsInstantiated() {
    SettingsExam.check(environment);
    Set<String> own = parts.own().keySet();
    checkOwn();
    List<HandlerMethod> methods = new ArrayList<>();
    handlers.forEach(one -> methods.addAll(one.all()));
    AnnotatedRules.Found found =
        new AnnotatedRules(environment, parts.expressions(), own).find(methods);
    new MisplacedLimits(found.handlers()).check(beans);
    OpenRules written = parts.written();
    List<Rule> rules = written.source().current().rules();
    List<Problem> idle = new RuleExam(written.name(), own, found.handlers()).of(rules);
    if (!idle.isEmpty() && !written.followed()) {
      throw StartFailure.of(idle);
    }
    idle.forEach(problem -> LOG.log(Level.WARNING, "{0}", problem));
    parts.reader().annotated(found);
    parts.plan().annotated(found.rules());
    boolean loud = parts.summary().mode() != WeirMode.ENFORCE;
    LOG.log(loud ? Level.WARNING : Level.INFO, "{0}", parts.summary().text());
  }

  private void checkOwn() {
    List<Problem> problems = new ArrayList<>();
    parts
        .own()
        .forEach(
            (name, expression) -> {
              try {
                parts.expressions().parse(expression);
              } catch (IllegalArgumentException e) {
                String reason = String.valueOf(e.getMessage());
                problems.add(new Problem("weir.attributes", 0, 0, "", name, reason));
              }
            });
    if (!problems.isEmpty()) {
      throw StartFailure.of(problems);
    }
  }
}
