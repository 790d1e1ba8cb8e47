package io.weir.testkit.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Allocates free loopback ports whose cluster bus port, 10000 higher, is free too.
 *
 * <p>Both are below the range of ephemeral ports, so that no outgoing connection takes the port of
 * a server between its end and its restart.
 */
final class RedisPortAllocator {
  private static final int FIRST_PORT = 11_000;
  private static final int PORT_COUNT = 10_000;
  private static final int BUS_PORT_OFFSET = 10_000;
  private static final int MAX_ATTEMPTS = 1_000;

  private static final Set<Integer> ALLOCATED = ConcurrentHashMap.newKeySet();

  private RedisPortAllocator() {}

  /** Allocates a port, which is not allocated again in this JVM until {@link #release}. */
  static int allocate() {
    for (int i = 0; i < MAX_ATTEMPTS; i++) {
      int port = FIRST_PORT + ThreadLocalRandom.current().nextInt(PORT_COUNT);
      if (ALLOCATED.add(port)) {
        if (isFree(port) && isFree(port + BUS_PORT_OFFSET)) {
          return port;
        }
        ALLOCATED.remove(port);
      }
    }
    throw new IllegalStateException(
        "no free port between " + FIRST_PORT + " and " + (FIRST_PORT + PORT_COUNT));
  }

  static void release(int port) {
    ALLOCATED.remove(port);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
