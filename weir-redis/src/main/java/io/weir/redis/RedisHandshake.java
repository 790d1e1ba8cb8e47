package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.SetArgs;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** What a node and a server agree on before anything is asked: the set-up, and the script. */
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
   * @param setup what this node would have; the store may know better
   * @param joined hears the store's own set-up before anything is asked under it
   */
  RedisHandshake(
      RedisAddress address, String prefix, RedisLayout setup, Consumer<RedisLayout> joined) {
    this.address = address;
    this.layoutKey = (prefix + ":setup").getBytes(US_ASCII);
    this.layout = setup;
    this.onLayout = joined;
  }

  /** Agrees on the set-up and brings the script; says whether as a function. */
  CompletionStage<Boolean> perform(RedisConnector.DriverConnection to) {
    return agreeOnLayout(to)
        .thenCompose(
            unused ->
                to.loadLibrary(DecisionScript.INSTANCE.librarySource)
                    .handle((done, failure) -> failure == null))
        .thenCompose(
            functions ->
                functions
                    ? CompletableFuture.completedFuture(true)
                    : to.commands()
                        .scriptLoad(DecisionScript.INSTANCE.scriptSource)
                        .thenApply(sha -> false));
  }

  /** Looks whether the set-up is still there, and still ours. */
  CompletionStage<Void> verifyLayout(RedisConnector.DriverConnection to) {
    if (++checks % CHECKS_PER_RENEWAL == 0) {
      return agreeOnLayout(to);
    }
    return to.commands()
        .get(layoutKey)
        .thenCompose(
            bytes ->
                Arrays.equals(bytes, layout.encode())
                    ? CompletableFuture.completedFuture(null)
                    : agreeOnLayout(to));
  }

  private CompletionStage<Void> agreeOnLayout(RedisConnector.DriverConnection to) {
    var commands = to.commands();
    return commands
        .set(layoutKey, layout.encode(), SetArgs.Builder.nx())
        .thenCompose(unused -> commands.pexpire(layoutKey, LAYOUT_TTL_MILLIS))
        .thenCompose(unused -> commands.get(layoutKey))
        .thenAccept(
            bytes -> {
              RedisLayout theirs = bytes == null ? null : RedisLayout.decode(bytes);
              if (theirs == null) {
                throw new IllegalStateException(
                    "its key "
                        + new String(layoutKey, US_ASCII)
                        + " is not Weir's; choose another prefix or delete it");
              }
              adoptLayout(theirs);
            });
  }

  private void adoptLayout(RedisLayout theirs) {
    if (theirs.shards() != layout.shards() || theirs.packedBuckets() != layout.packedBuckets()) {
      LOG.log(
          Level.WARNING,
          "{0} was set up with shelves={1} and pages={2}; this node follows",
          address,
          String.valueOf(theirs.shards()),
          String.valueOf(theirs.packedBuckets()));
    }
    layout = theirs;
    onLayout.accept(theirs);
  }
}
