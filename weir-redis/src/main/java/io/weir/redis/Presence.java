package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.Range;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Says now and then that this node is here, and counts who else has said so of late. */
final class Presence {
  private static final int BEATS = 4;
  private static final long LATELY_MS = 10_000;

  private final byte[] key;
  private final byte[] self;
  private int beats;
  private volatile int nodes = 1;

  Presence(String prefix) {
    key = (prefix + ":nodes").getBytes(US_ASCII);
    byte[] id = new byte[8];
    new SecureRandom().nextBytes(id);
    self = HexFormat.of().formatHex(id).getBytes(US_ASCII);
  }

  int nodes() {
    return nodes;
  }

  /**
   * One beat of the link.
   *
   * @param now by the server's clock, in milliseconds
   */
  CompletionStage<?> beat(Route.Wire to, long now) {
    if (beats++ % BEATS != 0) {
      return CompletableFuture.completedFuture(null);
    }
    var commands = to.commands();
    return commands
        .zadd(key, (double) now, self)
        .thenCompose(done -> commands.zremrangebyscore(key, Range.create(0, now - LATELY_MS)))
        .thenCompose(done -> commands.pexpire(key, 2 * LATELY_MS))
        .thenCompose(done -> commands.zcard(key))
        .thenAccept(count -> nodes = (int) Math.max(1, count));
  }

  /** Says that this node leaves. */
  CompletionStage<?> leave(Route.Wire to) {
    return to.commands().zrem(key, self);
  }
}
