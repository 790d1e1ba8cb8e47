package io.weir.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;

/** Runs a callback when a connection is lost. */
record DisconnectListener(Runnable onDisconnect) implements RedisConnectionStateListener {

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
    onDisconnect.run();
  }
}
