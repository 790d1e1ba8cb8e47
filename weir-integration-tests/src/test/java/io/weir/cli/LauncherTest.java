package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.DocumentationExample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code bin/weir}, in the layout of the distribution archive, with scripts in place of
 * Java that print their arguments and write the class cache that they are told to write.
 */
class LauncherTest {
  private static final String FAKE_JAVA =
      """
      #!/bin/sh
      echo "%s $@" >> "%s"
      for argument; do
        case $argument in
          -XX:AOTCacheOutput=*|-XX:ArchiveClassesAtExit=*) echo classes > "${argument#*=}" ;;
        esac
      done
      """;

  @TempDir Path folder;

  private Path launcher;
  private Path jar;
  private Path calls;

  @BeforeEach
  void unpack() throws IOException {
    calls = Files.createFile(folder.resolve("calls"));
    jar =
        Files.createFile(
            Files.createDirectories(folder.resolve("app/lib")).resolve("weir-server.jar"));
    launcher = Files.createDirectories(folder.resolve("app/bin")).resolve("weir");
    Files.copy(
        DocumentationExample.PROJECT_ROOT.resolve("weir-cli/src/main/dist/bin/weir"), launcher);
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Path fakeJava(String name, String version) throws IOException {
    Path home = folder.resolve(name);
    Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.writeString(java, FAKE_JAVA.formatted(name, calls));
    Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  private CommandRun run(Map<String, String> environment, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(launcher.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeAll(List.of("JAVA_OPTS", "JAVA_TOOL_OPTIONS"));
    builder.environment().put("HOME", folder.toString());
    builder.environment().putAll(environment);
    builder.redirectOutput(folder.resolve("out").toFile());
    builder.redirectError(folder.resolve("err").toFile());
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new CommandRun(
        process.exitValue(),
        Files.readString(folder.resolve("out"), UTF_8),
        Files.readString(folder.resolve("err"), UTF_8));
  }

  private List<String> calls() throws IOException {
    return Files.readAllLines(calls);
  }

  @Test
  void javaHome_isUsedWithoutAskingAnyJavaForItsVersion() throws Exception {
    Path java = fakeJava("seventeen", "17.0.1");
    assertThat(run(Map.of("JAVA_HOME", java.toString()), "serve", "--drain", "1s").exitCode())
        .isZero();
    assertThat(calls()).allMatch(call -> call.startsWith("seventeen ") && call.contains("-jar"));
    assertThat(calls().get(calls().size() - 1))
        .endsWith("-jar " + jar + " serve --drain 1s")
        .contains("-XX:SharedArchiveFile=" + jar.resolveSibling("weir-server-17.0.1.cache"))
        .doesNotContain("--sun-misc-unsafe-memory-access");
  }

  @Test
  void javaHomeWithoutJavaOrTooOld_isOneLine() throws Exception {
    assertThat(run(Map.of("JAVA_HOME", folder.toString()), "serve"))
        .isEqualTo(new CommandRun(1, "", "weir: JAVA_HOME has no bin/java (was " + folder + ")\n"));
    Path eleven = fakeJava("eleven", "11.0.2");
    assertThat(run(Map.of("JAVA_HOME", eleven.toString()), "serve").err())
        .isEqualTo("weir: JAVA_HOME must be Java 17 or newer (was 11.0.2)\n");
    assertThat(calls()).isEmpty();
  }

  @Test
  void classCache_isWrittenOnceAndAgainForNewerJar() throws Exception {
    Map<String, String> java = Map.of("JAVA_HOME", fakeJava("new", "25.0.3").toString());
    run(java, "serve");
    assertThat(calls()).hasSize(2);
    assertThat(calls().get(0)).contains("-XX:AOTCacheOutput=").endsWith("demo --train");
    assertThat(calls().get(1)).contains("-XX:AOTCache=").contains("+UseCompactObjectHeaders");
    run(java, "serve");
    assertThat(calls()).hasSize(3);
    Path cache = jar.resolveSibling("weir-server-25.0.3.cache");
    Files.setLastModifiedTime(
        jar, FileTime.fromMillis(Files.getLastModifiedTime(cache).toMillis() + 2000));
    run(java, "serve");
    assertThat(calls()).hasSize(5);
  }

  @Test
  void classCacheThatCannotBeWritten_isNoFailure() throws Exception {
    Path java = fakeJava("new", "25.0.3");
    Files.createDirectory(jar.resolveSibling("weir-server-25.0.3.cache")); // in its place
    CommandRun ran = run(Map.of("JAVA_HOME", java.toString()), "serve");
    assertThat(ran.exitCode()).as(ran.err()).isZero();
    assertThat(calls().get(calls().size() - 1)).endsWith("-jar " + jar + " serve");
  }

  @Test
  void javaOpts_comeLastAndChooseTheCollector() throws Exception {
    Path java = fakeJava("new", "25.0.3");
    run(Map.of("JAVA_HOME", java.toString(), "JAVA_OPTS", "-XX:+UseG1GC -Xmx1g"), "serve");
    assertThat(calls()).hasSize(1);
    assertThat(calls().get(0))
        .doesNotContain("UseSerialGC", "-Xmn", "-Xms")
        .endsWith("-XX:+UseG1GC -Xmx1g -jar " + jar + " serve");
  }

  /** JDK 25 ends with "Unable to use AOT cache" if the old generation cannot hold its objects. */
  @Test
  void javaOptsThatSizeGenerations_doWithoutTheClassCache() throws Exception {
    String java = fakeJava("new", "25.0.3").toString();
    run(Map.of("JAVA_HOME", java), "serve");
    for (String sizes : List.of("-Xmn32m", "-Xms8m -Xmx2g", "-XX:NewSize=8m")) {
      run(Map.of("JAVA_HOME", java, "JAVA_OPTS", sizes), "serve");
      assertThat(calls().get(calls().size() - 1)).doesNotContain("-XX:AOTCache", "-Xms64m");
    }
    run(Map.of("JAVA_HOME", java, "JAVA_OPTS", "-Xmx1g"), "serve");
    assertThat(calls().get(calls().size() - 1)).contains("-XX:AOTCache");
  }
}
