package io.weir.redis;

import static io.weir.redis.Asking.LONG;
import static io.weir.redis.Asking.PATIENT;
import static io.weir.redis.Asking.admitted;
import static io.weir.redis.Asking.budget;
import static io.weir.redis.Asking.claim;
import static io.weir.redis.Asking.joined;
import static io.weir.redis.Asking.take;
import static io.weir.redis.Asking.used;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Claim;
import io.weir.rule.Posture;
import io.weir.rule.Rule;
import io.weir.store.Mode;
import io.weir.store.Store;
import io.weir.testkit.Soon;
import io.weir.testkit.redis.RedisProcess;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes of two versions on one server, as during an upgrade: each runs its own script, and both
 * count on the same counters.
 */
class UpgradeTest {
  private static final Pattern LIBRARY = Pattern.compile("weir_[0-9a-f]{16}");

  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    redis = RedisProcess.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Test
  void anOldAndANewNodeShareOneBudget(@TempDir Path folder) throws Exception {
    Rule rule = budget("r", 10, Posture.CLOSED);
    try (NextVersion next = new NextVersion(folder);
        Store newer = next.open(redis.uri())) {
      try (RedisStore older = joined(RedisStore.at(redis.uri()).deadline(PATIENT))) {
        assertThat(admitted(older, rule, "x", 4)).isEqualTo(4);
        assertThat(admitted(newer, rule, "x", 3)).isEqualTo(3);
        assertThat(used(older, rule, "x")).isEqualTo(7);
        older.take(new Claim[] {claim(older, rule, "x", 2)}, Mode.REFUND).join();
        assertThat(used(newer, rule, "x")).isEqualTo(5);
        assertThat(libraries()).as("scripts, one for each version").hasSize(2);
      }
      assertThat(admitted(newer, rule, "x", 9)).as("what the old node left").isEqualTo(5);
      assertThat(take(newer, rule, "y", 10).fits()).as("another caller").isTrue();
    }
  }

  private static List<String> libraries() {
    return LIBRARY
        .matcher(String.valueOf(redis.command("FUNCTION", "LIST")))
        .results()
        .map(found -> found.group())
        .distinct()
        .toList();
  }

  /** The module loaded once more, with one line of its script changed. */
  private static final class NextVersion extends URLClassLoader {
    private static final String OWN = "io.weir.redis.";
    private static final String CHANGED = "io/weir/redis/shelf.lua";

    private final URL changed;

    NextVersion(Path folder) throws IOException {
      super(
          new URL[] {RedisStore.class.getProtectionDomain().getCodeSource().getLocation()},
          RedisStore.class.getClassLoader());
      try (var lua = RedisStore.class.getResourceAsStream("shelf.lua")) {
        byte[] text = java.util.Objects.requireNonNull(lua).readAllBytes();
        Path file = Files.write(folder.resolve("shelf.lua"), text);
        Files.writeString(file, "\n-- the next version\n", java.nio.file.StandardOpenOption.APPEND);
        changed = file.toUri().toURL();
      }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (!name.startsWith(OWN)) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }

    @Override
    public URL getResource(String name) {
      return name.equals(CHANGED) ? changed : super.getResource(name);
    }

    Store open(String uri) throws ReflectiveOperationException {
      Object builder =
          loadClass(OWN + "RedisStore").getMethod("at", String.class).invoke(null, uri);
      builder = builder.getClass().getMethod("deadline", Duration.class).invoke(builder, PATIENT);
      Store store = (Store) builder.getClass().getMethod("open").invoke(builder);
      Soon.until(LONG, "the new node joins", () -> store.health().available());
      return store;
    }
  }
}
