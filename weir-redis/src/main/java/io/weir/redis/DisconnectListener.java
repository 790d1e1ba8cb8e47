package io.weir.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;

/** Hears that a connection is gone. */
record DisconnectListener(Runnable onDisconnect) implements RedisConnectionStateListener {

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
    onDisconnect.run();
  }
}
