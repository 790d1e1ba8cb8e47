package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.Range;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Registers this node in the store periodically, and counts the nodes registered recently. */
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
   * Registers this node and counts the live nodes, on every fourth call.
   *
   * @param nowMillis the server's time, in milliseconds
   */
  CompletionStage<?> heartbeat(RedisConnector.DriverConnection connection, long nowMillis) {
    if (checks++ % CHECKS_PER_HEARTBEAT != 0) {
      return CompletableFuture.completedFuture(null);
    }
    var commands = connection.commands();
    return commands
        .zadd(nodesKey, (double) nowMillis, nodeId)
        .thenCompose(
            done ->
                commands.zremrangebyscore(nodesKey, Range.create(0, nowMillis - NODE_TTL_MILLIS)))
        .thenCompose(done -> commands.pexpire(nodesKey, 2 * NODE_TTL_MILLIS))
        .thenCompose(done -> commands.zcard(nodesKey))
        .thenAccept(count -> nodeCount = (int) Math.max(1, count));
  }

  /** Removes this node. */
  CompletionStage<?> deregister(RedisConnector.DriverConnection connection) {
    return connection.commands().zrem(nodesKey, nodeId);
  }
}
