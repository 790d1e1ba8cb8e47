package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.SetArgs;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Prepares a server before the first call: agrees on the layout metadata and loads the script.
 * Later checks that the layout is unchanged.
 */
final class RedisHandshake {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long LAYOUT_TTL_MILLIS = 1000L * 86_400_000;
  private static final long CHECKS_PER_RENEWAL = 100_000;

  private final RedisAddress address;
  private final byte[] layoutKey;
  private final Consumer<RedisLayout> onLayout;
  private volatile RedisLayout layout;
  private long checks;

  /**
   * @param layout the layout of this node, used only if the store has none yet
   * @param onLayout receives the layout of the store before the first call that uses it
   */
  RedisHandshake(
      RedisAddress address, String prefix, RedisLayout layout, Consumer<RedisLayout> onLayout) {
    this.address = address;
    this.layoutKey = (prefix + ":setup").getBytes(US_ASCII);
    this.layout = layout;
    this.onLayout = onLayout;
  }

  /** Agrees on the layout and loads the script; completes with true if as a function. */
  CompletionStage<Boolean> perform(RedisConnector.DriverConnection connection) {
    return agreeOnLayout(connection)
        .thenCompose(
            unused ->
                connection
                    .loadLibrary(DecisionScript.INSTANCE.librarySource)
                    .handle((done, failure) -> failure == null))
        .thenCompose(
            functions ->
                functions
                    ? CompletableFuture.completedFuture(true)
                    : connection
                        .commands()
                        .scriptLoad(DecisionScript.INSTANCE.scriptSource)
                        .thenApply(sha -> false));
  }

  /** Checks that the layout in the store is still the one in use. */
  CompletionStage<Void> verifyLayout(RedisConnector.DriverConnection connection) {
    if (++checks % CHECKS_PER_RENEWAL == 0) {
      return agreeOnLayout(connection);
    }
    return connection
        .commands()
        .get(layoutKey)
        .thenCompose(
            bytes ->
                Arrays.equals(bytes, layout.encode())
                    ? CompletableFuture.completedFuture(null)
                    : agreeOnLayout(connection));
  }

  private CompletionStage<Void> agreeOnLayout(RedisConnector.DriverConnection connection) {
    var commands = connection.commands();
    return commands
        .set(layoutKey, layout.encode(), SetArgs.Builder.nx())
        .thenCompose(unused -> commands.pexpire(layoutKey, LAYOUT_TTL_MILLIS))
        .thenCompose(unused -> commands.get(layoutKey))
        .thenAccept(
            bytes -> {
              RedisLayout storedLayout = bytes == null ? null : RedisLayout.decode(bytes);
              if (storedLayout == null) {
                throw new IllegalStateException(
                    "key "
                        + new String(layoutKey, US_ASCII)
                        + " was not written by Weir; choose another prefix or delete the key");
              }
              adoptLayout(storedLayout);
            });
  }

  private void adoptLayout(RedisLayout storedLayout) {
    if (storedLayout.shards() != layout.shards()
        || storedLayout.packedBuckets() != layout.packedBuckets()) {
      LOG.log(
          Level.WARNING,
          "{0} has the layout shards={1}, packed-buckets={2}; this node adopts it",
          address,
          String.valueOf(storedLayout.shards()),
          String.valueOf(storedLayout.packedBuckets()));
    }
    layout = storedLayout;
    onLayout.accept(storedLayout);
  }
}
