package io.weir.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Checks the dependency directions of packages and modules described in
 * docs/internals/architecture.md.
 */
class DependencyDirectionTest {
  /** What rules use. Rules and their compiled form are one unit: a rule is built as the latter. */
  private static final Set<String> RULES =
      Set.of(
          "io.weir.rule",
          "io.weir.internal",
          "io.weir.internal.algorithm",
          "io.weir.internal.background",
          "io.weir.internal.glob",
          "io.weir.internal.rule");

  /** What limiters use. A decision and its evaluated form are one unit, too. */
  private static final Set<String> DECISIONS =
      with(
          RULES, "io.weir.store", "io.weir.internal.store", "io.weir", "io.weir.internal.decision");

  private static Set<String> with(Set<String> some, String... more) {
    Set<String> all = new TreeSet<>(some);
    all.addAll(Set.of(more));
    return all;
  }

  /** The packages of the core, each with the packages that it may use besides itself. */
  static final List<Map.Entry<String, Set<String>>> CORE =
      List.of(
          Map.entry("io.weir.internal", Set.of()),
          Map.entry("io.weir.internal.background", Set.of()),
          Map.entry("io.weir.internal.algorithm", Set.of()),
          Map.entry("io.weir.internal.glob", Set.of()),
          Map.entry("io.weir.store", Set.of()),
          Map.entry("io.weir.rule", RULES),
          Map.entry("io.weir.internal.rule", RULES),
          Map.entry("io.weir.internal.store", with(RULES, "io.weir.store")),
          Map.entry(
              "io.weir.internal.store.nodes",
              with(RULES, "io.weir.store", "io.weir.internal.store")),
          Map.entry("io.weir", DECISIONS),
          Map.entry("io.weir.internal.decision", DECISIONS),
          Map.entry("io.weir.internal.region", DECISIONS));

  /** The modules, each with the modules that it may use besides the core and itself. */
  static final List<Map.Entry<String, Set<String>>> MODULES =
      List.of(
          Map.entry("core", Set.of()),
          Map.entry("testkit", Set.of()),
          Map.entry("rules", Set.of()),
          Map.entry("redis", Set.of()),
          Map.entry("http", Set.of()),
          Map.entry("metrics", Set.of("rules")),
          Map.entry("client", Set.of("http")),
          Map.entry("lab", Set.of()),
          Map.entry("spring", Set.of("http", "metrics", "redis", "rules")),
          Map.entry("web", Set.of("http", "metrics")),
          Map.entry("gateway", Set.of("http", "web")),
          Map.entry("admin", Set.of("http", "lab", "metrics", "redis", "rules", "web")),
          Map.entry(
              "server", Set.of("admin", "gateway", "http", "metrics", "redis", "rules", "web")),
          Map.entry(
              "cli",
              Set.of("admin", "gateway", "http", "lab", "metrics", "redis", "rules", "server")));

  private static JavaClasses allClasses;

  @BeforeAll
  static void importClasses() {
    allClasses =
        new ClassFileImporter()
            .withImportOption(place -> !place.contains("/io/weir/architecture/"))
            .importPackages("io.weir");
  }

  @Test
  void core_dependsOnJdkOnly() {
    String[] core =
        CORE.stream().map(entry -> packagePattern(entry.getKey())).toArray(String[]::new);
    classes()
        .that()
        .resideInAnyPackage(core)
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(core).or(resideInAnyPackage("java..", "org.jspecify.annotations")))
        .check(allClasses);
  }

  @ParameterizedTest
  @FieldSource("CORE")
  void corePackage_usesAllowedPackagesOnly(Map.Entry<String, Set<String>> entry) {
    List<String> forbidden = new ArrayList<>();
    for (Map.Entry<String, Set<String>> other : CORE) {
      if (!other.equals(entry) && !entry.getValue().contains(other.getKey())) {
        forbidden.add(packagePattern(other.getKey()));
      }
    }
    noClasses()
        .that()
        .resideInAPackage(packagePattern(entry.getKey()))
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden.toArray(new String[0]))
        .allowEmptyShould(forbidden.isEmpty())
        .check(allClasses);
  }

  @ParameterizedTest
  @FieldSource("MODULES")
  void module_usesAllowedModulesOnly(Map.Entry<String, Set<String>> module) {
    Map<String, Set<String>> used = new TreeMap<>();
    for (JavaClass one : allClasses) {
      if (moduleOf(one).equals(module.getKey())) {
        one.getDirectDependenciesFromSelf().stream()
            .map(dependency -> dependency.getTargetClass().getBaseComponentType())
            .filter(target -> target.getPackageName().startsWith("io.weir"))
            .map(DependencyDirectionTest::moduleOf)
            .filter(target -> !target.equals("core") && !target.equals(module.getKey()))
            .filter(target -> !module.getValue().contains(target))
            .forEach(
                target -> used.computeIfAbsent(target, t -> new TreeSet<>()).add(one.getName()));
      }
    }
    assertThat(used).as("forbidden dependencies of %s", module.getKey()).isEmpty();
  }

  @Test
  void everyModule_isChecked() {
    assertThat(
            allClasses.stream().map(DependencyDirectionTest::moduleOf).collect(Collectors.toSet()))
        .isEqualTo(MODULES.stream().map(Map.Entry::getKey).collect(Collectors.toSet()));
  }

  @Test
  void packages_haveNoCycles() {
    slices()
        .assignedFrom(
            new SliceAssignment() {
              @Override
              public SliceIdentifier getIdentifierOf(JavaClass one) {
                return SliceIdentifier.of(packageGroup(one.getPackageName()));
              }

              @Override
              public String getDescription() {
                return "packages";
              }
            })
        .should()
        .beFreeOfCycles()
        .check(allClasses);
  }

  /**
   * Returns the group of a package. The packages below io.weir.internal.algorithm are one group,
   * and so are the public and the internal form of rules, and of decisions.
   */
  private static String packageGroup(String name) {
    if (name.startsWith("io.weir.internal.algorithm")) {
      return "io.weir.internal.algorithm";
    }
    return switch (name) {
      case "io.weir.internal.rule" -> "io.weir.rule";
      case "io.weir.internal.decision" -> "io.weir";
      default -> name;
    };
  }

  /** Returns the module of a class: the third part of its package name, or the core. */
  private static String moduleOf(JavaClass one) {
    String[] words = one.getPackageName().split("\\.", -1);
    String third = words.length > 2 ? words[2] : "";
    return switch (third) {
      case "", "algorithm", "background", "internal", "region", "rule", "store" -> "core";
      default -> third;
    };
  }

  /**
   * Returns the pattern of a package, which includes subpackages only for
   * io.weir.internal.algorithm.
   */
  private static String packagePattern(String name) {
    return name.equals("io.weir.internal.algorithm") ? name + ".." : name;
  }
}
