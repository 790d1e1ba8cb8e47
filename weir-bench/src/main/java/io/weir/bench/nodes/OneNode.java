package io.weir.bench.nodes;

import io.weir.bench.Fork;
import io.weir.redis.RedisStore;

/** A node in a JVM of its own that asks for one hot key, beginning at an agreed time. */
final class OneNode {

  private OneNode() {}

  public static void main(String[] args) throws InterruptedException {
    int perSecond = Integer.parseInt(args[4]);
    int seconds = Integer.parseInt(args[5]);
    try (RedisStore store = HotKey.open(args[0])) {
      new HotKey(store, args[1], "1000000/second", 0).pace(perSecond, 2); // Java gets faster
      HotKey key = new HotKey(store, args[1], args[2], Long.parseLong(args[3]));
      Thread.sleep(Math.max(0, Long.parseLong(args[6]) - System.currentTimeMillis()));
      Fork.tell("began", System.currentTimeMillis());
      Fork.tell("admitted", key.pace(perSecond, seconds));
      Fork.tell("ended", System.currentTimeMillis());
      Fork.tell("degraded", store.health().degraded());
    }
  }
}
