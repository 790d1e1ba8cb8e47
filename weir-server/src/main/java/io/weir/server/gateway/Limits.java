package io.weir.server.gateway;

import io.weir.server.config.Config;
import io.weir.server.config.Settings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What bounds the gateway, in milliseconds and numbers of one event loop, and whom it trusts.
 *
 * @param connect to have a connection to an upstream, waiting for one included
 * @param silence an upstream may be silent
 * @param patience in which a caller must send or take {@link #LEAST_RATE}
 * @param connections to each upstream
 * @param tunnels WebSockets to each upstream
 * @param waiting requests for a connection to each upstream
 * @param authorities who may have signed the certificates of upstreams; the JDK's if not said
 */
record Limits(
    long connect,
    long silence,
    long patience,
    int connections,
    int tunnels,
    int waiting,
    Optional<Path> authorities) {
  /** The bytes per second below which a caller that is waited for is given up. */
  static final int LEAST_RATE = 256;

  /** A share of the limits for one of so many event loops. */
  static Limits of(Config config, int loops) {
    return new Limits(
        config.get(Settings.CONNECT_TIMEOUT).toMillis(),
        config.get(Settings.UPSTREAM_TIMEOUT).toMillis(),
        config.get(Settings.REQUEST_TIMEOUT).toMillis(),
        share(config.get(Settings.UPSTREAM_CONNECTIONS), loops),
        share(config.get(Settings.MAX_WEBSOCKETS), loops),
        share(config.get(Settings.MAX_WAITING), loops),
        config.get(Settings.UPSTREAM_CA));
  }

  private static int share(int all, int loops) {
    return Math.max(1, (all + loops - 1) / loops);
  }

  /** The bytes a caller must move in one {@link #patience}. */
  long leastBytes() {
    return LEAST_RATE * patience / 1000;
  }
}
