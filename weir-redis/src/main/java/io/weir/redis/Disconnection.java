package io.weir.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;

/** Hears that a connection is gone. */
record Disconnection(Runnable then) implements RedisConnectionStateListener {

  @Override
  public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
    then.run();
  }
}
