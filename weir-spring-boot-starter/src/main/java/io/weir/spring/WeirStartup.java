package io.weir.spring;

import io.weir.rule.Rule;
import io.weir.rules.lint.RuleLint;
import io.weir.rules.text.ConfigurationProblem;
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
 * Activates the rules of annotations once all controllers exist and before the first request,
 * checks the configuration and logs the active rules.
 */
final class WeirStartup implements SmartInitializingSingleton {
  private static final Logger LOG = System.getLogger("io.weir");

  private final Environment environment;
  private final ConfigurableListableBeanFactory beans;
  private final StartupComponents components;
  private final List<HandlerMethods<?, ?>> handlers;

  /** The components that startup initializes and checks. */
  record StartupComponents(
      ConfiguredRules configuredRules,
      MergedRuleSource ruleSource,
      SpringRequestReader requestReader,
      SpelExpressions expressions,
      Map<String, String> customAttributes,
      WeirStatus status) {}

  WeirStartup(
      Environment environment,
      ConfigurableListableBeanFactory beans,
      StartupComponents parts,
      List<HandlerMethods<?, ?>> handlers) {
    this.environment = environment;
    this.beans = beans;
    this.components = parts;
    this.handlers = handlers;
  }

  @Override
  public void afterSingletonsInstantiated() {
    UnknownSettingCheck.check(environment);
    Set<String> customAttributes = components.customAttributes().keySet();
    checkCustomAttributes();
    List<HandlerMethod> methods = new ArrayList<>();
    handlers.forEach(source -> methods.addAll(source.all()));
    AnnotationRuleReader.AnnotationRules found =
        new AnnotationRuleReader(environment, components.expressions(), customAttributes)
            .read(methods);
    new MisplacedAnnotationCheck(found.handlers()).check(beans);
    ConfiguredRules configured = components.configuredRules();
    List<Rule> rules = configured.source().current().rules();
    List<ConfigurationProblem> unmatchable =
        new UnmatchableRuleCheck(configured.name(), customAttributes, found.handlers())
            .findProblems(rules);
    if (!unmatchable.isEmpty() && !configured.reloadable()) {
      throw StartFailureException.ofProblems(unmatchable);
    }
    unmatchable.forEach(problem -> LOG.log(Level.WARNING, "{0}", problem));
    List<Rule> all = new ArrayList<>(rules);
    all.addAll(found.rules());
    RuleLint.check(all).forEach(warning -> LOG.log(Level.WARNING, "rule {0}", warning));
    components.requestReader().setAnnotationRules(found);
    components.ruleSource().setAnnotationRules(found.rules());
    StoreWarmUp.run(components.status());
    boolean enforcing = components.status().mode() == WeirMode.ENFORCE;
    LOG.log(enforcing ? Level.INFO : Level.WARNING, "{0}", components.status().describe());
  }

  private void checkCustomAttributes() {
    List<ConfigurationProblem> problems = new ArrayList<>();
    components
        .customAttributes()
        .forEach(
            (name, expression) -> {
              try {
                components.expressions().parse(expression);
                components.expressions().recordUse(expression, "weir.attributes." + name);
              } catch (IllegalArgumentException e) {
                String reason = String.valueOf(e.getMessage());
                problems.add(new ConfigurationProblem("weir.attributes", 0, 0, "", name, reason));
              }
            });
    StartFailureException.throwIfAny(problems);
  }
}
