package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the public and protected signatures of the API with the recorded ones, so that none
 * changes by accident.
 *
 * <p>After an intended change run {@code mvn -pl weir-architecture-tests -am test
 * -Dtest=ApiSnapshotTest -Dsurefire.failIfNoSpecifiedTests=false -Dapi.update} and commit the files
 * that it writes.
 */
class ApiSnapshotTest {
  private static final int MAX_CORE_TYPES = 30;
  private static final Pattern EXPORT = Pattern.compile("exports ([a-z.]+);");

  @ParameterizedTest
  @ValueSource(strings = {"core", "redis"})
  void signatures_areTheRecordedOnes(String module) throws Exception {
    Path recorded =
        SourceTree.ROOT.resolve("weir-architecture-tests/src/test/api/" + module + ".txt");
    List<String> actual = signatures(module);
    if (System.getProperty("api.update") != null) {
      write(recorded, actual);
    }
    assertThat(actual)
        .as(
            "signatures of weir-%s; after an intended change run this test with -Dapi.update",
            module)
        .containsExactlyElementsOf(Files.readAllLines(recorded));
  }

  @Test
  void core_exposesFewTypesAndNoInternals() throws Exception {
    assertThat(packages("core")).hasSize(3);
    List<Class<?>> types = topLevelTypes("core");
    assertThat(types).hasSizeBetween(15, MAX_CORE_TYPES);
    assertThat(signatures("core")).noneMatch(line -> line.contains("io.weir.internal"));
  }

  private static void write(Path file, List<String> lines) throws IOException {
    Files.createDirectories(file.getParent());
    Files.write(file, lines);
  }

  /** Returns the packages that the descriptor of a module exports to all, or its main package. */
  private static List<String> packages(String module) {
    Path descriptor = SourceTree.ROOT.resolve("weir-" + module + "/src/main/java/module-info.java");
    return Files.exists(descriptor)
        ? EXPORT
            .matcher(SourceTree.read(descriptor))
            .results()
            .map((MatchResult export) -> export.group(1))
            .toList()
        : List.of("io.weir." + module);
  }

  private static List<Class<?>> topLevelTypes(String module) throws Exception {
    List<Class<?>> types = new ArrayList<>();
    for (String name : packages(module)) {
      Path folder =
          SourceTree.ROOT
              .resolve("weir-" + module + "/src/main/java")
              .resolve(name.replace('.', '/'));
      try (var files = Files.list(folder)) {
        for (Path file : files.sorted().toList()) {
          String simple = String.valueOf(file.getFileName()).replace(".java", "");
          if (String.valueOf(file).endsWith(".java") && !simple.contains("-")) {
            Class<?> type = Class.forName(name + "." + simple, false, loader());
            if (Modifier.isPublic(type.getModifiers())) {
              types.add(type);
            }
          }
        }
      }
    }
    return types;
  }

  private static ClassLoader loader() {
    return ApiSnapshotTest.class.getClassLoader();
  }

  private static List<String> signatures(String module) throws Exception {
    List<String> lines = new ArrayList<>();
    for (Class<?> type : topLevelTypes(module)) {
      addSignatures(type, lines);
    }
    return lines;
  }

  private static void addSignatures(Class<?> type, List<String> lines) {
    String parent = type.getGenericSuperclass() == null ? "" : type.getGenericSuperclass() + " ";
    lines.add(
        type.toGenericString() + " : " + parent + Arrays.toString(type.getGenericInterfaces()));
    TreeSet<String> members = new TreeSet<>();
    for (Field field : type.getDeclaredFields()) {
      add(field, field.getModifiers(), field.isSynthetic(), field.toGenericString(), members);
    }
    for (Constructor<?> one : type.getDeclaredConstructors()) {
      add(one, members);
    }
    for (Method method : type.getDeclaredMethods()) {
      add(method, members);
    }
    lines.addAll(members);
    Arrays.stream(type.getDeclaredClasses())
        .filter(nested -> isVisible(nested.getModifiers()))
        .sorted((a, b) -> a.getName().compareTo(b.getName()))
        .forEach(nested -> addSignatures(nested, lines));
  }

  private static void add(Executable one, Set<String> members) {
    add(one, one.getModifiers(), one.isSynthetic(), one.toGenericString(), members);
  }

  private static void add(
      AnnotatedElement one, int modifiers, boolean synthetic, String text, Set<String> members) {
    if (isVisible(modifiers) && !synthetic) {
      members.add("  " + (one.isAnnotationPresent(Deprecated.class) ? "@Deprecated " : "") + text);
    }
  }

  private static boolean isVisible(int modifiers) {
    return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
  }
}
