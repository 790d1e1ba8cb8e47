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
final class Handshake {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long SETUP_LIVES_MS = 1000L * 86_400_000;
  private static final long LOOKS_PER_RENEWAL = 100_000;

  private final Address address;
  private final byte[] key;
  private final Consumer<Setup> joined;
  private volatile Setup setup;
  private long looks;

  /**
   * @param setup what this node would have; the store may know better
   * @param joined hears the store's own set-up before anything is asked under it
   */
  Handshake(Address address, String prefix, Setup setup, Consumer<Setup> joined) {
    this.address = address;
    this.key = (prefix + ":setup").getBytes(US_ASCII);
    this.setup = setup;
    this.joined = joined;
  }

  /** Agrees on the set-up and brings the script; says whether as a function. */
  CompletionStage<Boolean> shake(Route.Wire to) {
    return agree(to)
        .thenCompose(
            unused -> to.load(Script.WEIR.library).handle((done, failure) -> failure == null))
        .thenCompose(
            functions ->
                functions
                    ? CompletableFuture.completedFuture(true)
                    : to.commands().scriptLoad(Script.WEIR.text).thenApply(sha -> false));
  }

  /** Looks whether the set-up is still there, and still ours. */
  CompletionStage<Void> look(Route.Wire to) {
    if (++looks % LOOKS_PER_RENEWAL == 0) {
      return agree(to);
    }
    return to.commands()
        .get(key)
        .thenCompose(
            bytes ->
                Arrays.equals(bytes, setup.bytes())
                    ? CompletableFuture.completedFuture(null)
                    : agree(to));
  }

  private CompletionStage<Void> agree(Route.Wire to) {
    var commands = to.commands();
    return commands
        .set(key, setup.bytes(), SetArgs.Builder.nx())
        .thenCompose(unused -> commands.pexpire(key, SETUP_LIVES_MS))
        .thenCompose(unused -> commands.get(key))
        .thenAccept(
            bytes -> {
              Setup theirs = bytes == null ? null : Setup.of(bytes);
              if (theirs == null) {
                throw new IllegalStateException(
                    "its key "
                        + new String(key, US_ASCII)
                        + " is not Weir's; choose another prefix or delete it");
              }
              adopt(theirs);
            });
  }

  private void adopt(Setup theirs) {
    if (theirs.shelves() != setup.shelves() || theirs.pages() != setup.pages()) {
      LOG.log(
          Level.WARNING,
          "{0} was set up with shelves={1} and pages={2}; this node follows",
          address,
          String.valueOf(theirs.shelves()),
          String.valueOf(theirs.pages()));
    }
    setup = theirs;
    joined.accept(theirs);
  }
}
