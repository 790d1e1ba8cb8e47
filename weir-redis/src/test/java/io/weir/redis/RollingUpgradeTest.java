package io.weir.redis;

import static io.weir.redis.RedisStoreTestSupport.AWAIT_TIMEOUT;
import static io.weir.redis.RedisStoreTestSupport.LONG_DEADLINE;
import static io.weir.redis.RedisStoreTestSupport.budget;
import static io.weir.redis.RedisStoreTestSupport.claim;
import static io.weir.redis.RedisStoreTestSupport.countAdmitted;
import static io.weir.redis.RedisStoreTestSupport.openAndAwait;
import static io.weir.redis.RedisStoreTestSupport.take;
import static io.weir.redis.RedisStoreTestSupport.usedPermits;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimStore;
import io.weir.rule.Rule;
import io.weir.rule.StoreFailureFallback;
import io.weir.store.StoreOperation;
import io.weir.testkit.Await;
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
 * Nodes of two versions on one server, as during a rolling upgrade: each runs its own script, and
 * both use the same counters.
 */
class RollingUpgradeTest {
  private static final Pattern LIBRARY_NAME = Pattern.compile("weir_[0-9a-f]{16}");

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
  void oldAndNewNode_shareOneBudget(@TempDir Path folder) throws Exception {
    Rule rule = budget("r", 10, StoreFailureFallback.CLOSED);
    try (NextVersionClassLoader nextVersion = new NextVersionClassLoader(folder);
        ClaimStore newNode = nextVersion.open(redis.uri())) {
      try (RedisStore oldNode = openAndAwait(RedisStore.at(redis.uri()).deadline(LONG_DEADLINE))) {
        assertThat(countAdmitted(oldNode, rule, "x", 4)).isEqualTo(4);
        assertThat(countAdmitted(newNode, rule, "x", 3)).isEqualTo(3);
        assertThat(usedPermits(oldNode, rule, "x")).isEqualTo(7);
        oldNode.apply(new Claim[] {claim(oldNode, rule, "x", 2)}, StoreOperation.REFUND).join();
        assertThat(usedPermits(newNode, rule, "x")).isEqualTo(5);
        assertThat(loadedLibraries()).as("scripts, one for each version").hasSize(2);
      }
      assertThat(countAdmitted(newNode, rule, "x", 9)).as("the rest of the budget").isEqualTo(5);
      assertThat(take(newNode, rule, "y", 10).admitted()).as("another caller").isTrue();
    }
  }

  private static List<String> loadedLibraries() {
    return LIBRARY_NAME
        .matcher(String.valueOf(redis.command("FUNCTION", "LIST")))
        .results()
        .map(match -> match.group())
        .distinct()
        .toList();
  }

  /** Loads the module a second time, with a changed script. */
  private static final class NextVersionClassLoader extends URLClassLoader {
    private static final String OWN_PACKAGE = "io.weir.redis.";
    private static final String CHANGED_RESOURCE = "io/weir/redis/shard.lua";

    private final URL changedUrl;

    NextVersionClassLoader(Path folder) throws IOException {
      super(
          new URL[] {RedisStore.class.getProtectionDomain().getCodeSource().getLocation()},
          RedisStore.class.getClassLoader());
      try (var lua = RedisStore.class.getResourceAsStream("shard.lua")) {
        byte[] text = java.util.Objects.requireNonNull(lua).readAllBytes();
        Path file = Files.write(folder.resolve("shard.lua"), text);
        Files.writeString(file, "\n-- the next version\n", java.nio.file.StandardOpenOption.APPEND);
        changedUrl = file.toUri().toURL();
      }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      synchronized (getClassLoadingLock(name)) {
        if (!name.startsWith(OWN_PACKAGE)) {
          return super.loadClass(name, resolve);
        }
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
      }
    }

    @Override
    public URL getResource(String name) {
      return name.equals(CHANGED_RESOURCE) ? changedUrl : super.getResource(name);
    }

    ClaimStore open(String uri) throws ReflectiveOperationException {
      Object builder =
          loadClass(OWN_PACKAGE + "RedisStore").getMethod("at", String.class).invoke(null, uri);
      builder =
          builder.getClass().getMethod("deadline", Duration.class).invoke(builder, LONG_DEADLINE);
      ClaimStore store = (ClaimStore) builder.getClass().getMethod("open").invoke(builder);
      Await.until(AWAIT_TIMEOUT, "the new node is available", () -> store.health().available());
      return store;
    }
  }
}
