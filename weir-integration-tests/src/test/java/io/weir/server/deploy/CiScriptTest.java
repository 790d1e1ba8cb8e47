package io.weir.server.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.DocumentationExample;
import io.weir.testkit.ToolRequirement;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code .ci/run} in a folder of its own, on a machine whose tools are links and stubs. */
class CiScriptTest {
  private static final List<String> BASE =
      List.of("bash", "dirname", "ls", "sort", "tail", "sed", "rm", "cat", "env");
  private static final List<String> STUBS =
      List.of("cc", "nginx", "haproxy", "curl", "envoy", "chromium", "valkey-server", "redis-cli");

  @TempDir Path folder;
  private Path tools;

  @BeforeEach
  void installTools() throws IOException {
    tools = Files.createDirectory(folder.resolve("tools"));
    for (String name : BASE) {
      Optional<Path> found =
          Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
              .map(p -> Path.of(p, name))
              .filter(Files::isExecutable)
              .findFirst();
      ToolRequirement.require(found.isPresent(), name + " is not installed");
      Files.createSymbolicLink(tools.resolve(name), found.orElseThrow());
    }
    for (String name : STUBS) {
      stub(name, "exit 0");
    }
    stub("id", "echo 1000"); // not root: nothing can be installed
    stub("mvn", "echo \"mvn $@\" >> " + folder.resolve("mvn"));
    Path script = Files.createDirectories(folder.resolve("checkout/.ci")).resolve("run");
    Files.copy(DocumentationExample.PROJECT_ROOT.resolve(".ci/run"), script);
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void stub(String name, String line) throws IOException {
    Path stub = Files.writeString(tools.resolve(name), "#!/bin/sh\n" + line + "\n");
    Files.setPosixFilePermissions(stub, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Runs the script; the output, and its exit code as the last line. */
  private String run(String ci) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            tools.resolve("bash").toString(), folder.resolve("checkout/.ci/run").toString());
    builder.environment().clear();
    builder.environment().put("PATH", tools.toString());
    builder.environment().put("CI", ci);
    Path out = folder.resolve("out");
    builder.redirectErrorStream(true).redirectOutput(out.toFile());
    Process process = builder.start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return Files.readString(out, UTF_8) + process.exitValue();
  }

  @Test
  void missingTool_failsInCiAndIsNamed() throws Exception {
    Files.delete(tools.resolve("curl"));
    assertThat(run("true"))
        .contains("== missing: curl, which is needed by DocsCommandsTest")
        .contains("CI fails")
        .endsWith("1");
    assertThat(folder.resolve("mvn")).doesNotExist();
  }

  @Test
  void missingTool_isOnlyNamedOutsideOfCi() throws Exception {
    Files.delete(tools.resolve("curl"));
    assertThat(run("false")).contains("== missing: curl").endsWith("0");
    assertThat(folder.resolve("mvn")).content().contains("verify");
  }
}
