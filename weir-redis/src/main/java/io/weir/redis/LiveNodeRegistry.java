package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.Range;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Says now and then that this node is here, and counts who else has said so of late. */
final class LiveNodeRegistry {
  private static final int CHECKS_PER_HEARTBEAT = 4;
  private static final long NODE_TTL_MILLIS = 10_000;

  private final byte[] nodesKey;
  private final byte[] nodeId;
  private int checks;
  private volatile int nodeCount = 1;

  LiveNodeRegistry(String prefix) {
    nodesKey = (prefix + ":nodes").getBytes(US_ASCII);
    byte[] id = new byte[8];
    new SecureRandom().nextBytes(id);
    nodeId = HexFormat.of().formatHex(id).getBytes(US_ASCII);
  }

  int nodeCount() {
    return nodeCount;
  }

  /**
   * One beat of the link.
   *
   * @param now by the server's clock, in milliseconds
   */
  CompletionStage<?> heartbeat(RedisConnector.DriverConnection to, long now) {
    if (checks++ % CHECKS_PER_HEARTBEAT != 0) {
      return CompletableFuture.completedFuture(null);
    }
    var commands = to.commands();
    return commands
        .zadd(nodesKey, (double) now, nodeId)
        .thenCompose(
            done -> commands.zremrangebyscore(nodesKey, Range.create(0, now - NODE_TTL_MILLIS)))
        .thenCompose(done -> commands.pexpire(nodesKey, 2 * NODE_TTL_MILLIS))
        .thenCompose(done -> commands.zcard(nodesKey))
        .thenAccept(count -> nodeCount = (int) Math.max(1, count));
  }

  /** Says that this node leaves. */
  CompletionStage<?> deregister(RedisConnector.DriverConnection to) {
    return to.commands().zrem(nodesKey, nodeId);
  }
}
