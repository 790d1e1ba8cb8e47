package io.weir.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that every public type and every package has Javadoc that begins with a sentence. */
class JavadocPresenceTest {
  private static final Pattern TYPE_DECLARATION =
      Pattern.compile(
          "^(public )?((abstract|final|sealed|non-sealed) )*(@?interface|class|record|enum) (\\w+)",
          Pattern.MULTILINE);
  private static final Pattern FIRST_SENTENCE =
      Pattern.compile("\\p{Lu}.{8,}?[.:](\\s|$)", Pattern.DOTALL);

  static Stream<Path> modules() {
    return SourceTree.modules().stream()
        .filter(module -> String.valueOf(module.getFileName()).startsWith("weir-"))
        .filter(module -> Files.isDirectory(module.resolve("src/main/java")));
  }

  @ParameterizedTest
  @MethodSource("modules")
  void publicTypes_haveJavadoc(Path module) {
    List<String> without = new ArrayList<>();
    for (Path file : SourceTree.below(module.resolve("src/main/java"), ".java")) {
      String source = SourceTree.read(file);
      Matcher type = TYPE_DECLARATION.matcher(source);
      if (type.find()
          && type.group(1) != null
          && !hasJavadocSentence(source.substring(0, type.start()))) {
        without.add(SourceTree.name(file));
      }
    }
    assertThat(without).as("public types without a Javadoc sentence").isEmpty();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void packages_haveJavadoc(Path module) {
    Path sources = module.resolve("src/main/java");
    List<String> without = new ArrayList<>();
    for (Path folder :
        SourceTree.below(sources, ".java").stream()
            .filter(file -> !file.endsWith("module-info.java"))
            .map(Path::getParent)
            .distinct()
            .toList()) {
      Path info = folder.resolve("package-info.java");
      if (!Files.exists(info)
          || !hasJavadocSentence(textBefore(SourceTree.read(info), "package "))) {
        without.add(SourceTree.name(folder));
      }
    }
    assertThat(without).as("packages without a Javadoc sentence in package-info.java").isEmpty();
  }

  @Test
  void missingSentence_isDetected() {
    assertThat(hasJavadocSentence("/** What it is for. */\n")).isTrue();
    assertThat(hasJavadocSentence("/** What it is for.\n * More.\n */\n@Deprecated\n")).isTrue();
    assertThat(hasJavadocSentence("/** TODO */\n")).isFalse();
    assertThat(hasJavadocSentence("/** @param x what */\n")).isFalse();
    assertThat(hasJavadocSentence("import java.util.List;\n")).isFalse();
  }

  private static String textBefore(String text, String word) {
    return text.substring(0, Math.max(0, text.indexOf("\n" + word) + 1));
  }

  /** Returns whether the text before a declaration ends in Javadoc that begins with a sentence. */
  private static boolean hasJavadocSentence(String before) {
    int begin = before.lastIndexOf("/**");
    int end = before.lastIndexOf("*/");
    if (begin < 0 || end < begin || before.indexOf("\nimport ", end) >= 0) {
      return false;
    }
    String text = before.substring(begin + 3, end).replaceAll("\\n\\s*\\*", "\n").strip();
    return FIRST_SENTENCE.matcher(text).lookingAt();
  }
}
