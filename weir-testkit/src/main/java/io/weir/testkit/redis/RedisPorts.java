package io.weir.testkit.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free loopback ports whose cluster bus port, 10000 higher, is free too.
 *
 * <p>Both lie below the range from which systems number outgoing connections, so that nothing takes
 * the port of a server between its end and its restart.
 */
final class RedisPorts {
  private static final int LOWEST = 11_000;
  private static final int COUNT = 10_000;
  private static final int BUS = 10_000;
  private static final int TRIES = 1_000;

  private static final Set<Integer> TAKEN = ConcurrentHashMap.newKeySet();

  private RedisPorts() {}

  /** One that this JVM gives to nobody else until it is {@link #release released}. */
  static int take() {
    for (int i = 0; i < TRIES; i++) {
      int port = LOWEST + ThreadLocalRandom.current().nextInt(COUNT);
      if (TAKEN.add(port)) {
        if (free(port) && free(port + BUS)) {
          return port;
        }
        TAKEN.remove(port);
      }
    }
    throw new IllegalStateException("no free port from " + LOWEST + " to " + (LOWEST + COUNT));
  }

  static void release(int port) {
    TAKEN.remove(port);
  }

  private static boolean free(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
