package io.weir.bench.nodes;

import io.weir.bench.ForkedJvm;
import io.weir.redis.RedisStore;

/** A node in a separate JVM that sends requests for one hot key from an agreed time on. */
final class HotKeyNode {

  private HotKeyNode() {}

  public static void main(String[] args) throws InterruptedException {
    int perSecond = Integer.parseInt(args[4]);
    int seconds = Integer.parseInt(args[5]);
    try (RedisStore store = HotKeyLoad.openStore(args[0])) {
      new HotKeyLoad(store, args[1], "1000000/second", 0).runAtRate(perSecond, 2); // JIT warm-up
      HotKeyLoad key = new HotKeyLoad(store, args[1], args[2], Long.parseLong(args[3]));
      Thread.sleep(Math.max(0, Long.parseLong(args[6]) - System.currentTimeMillis()));
      ForkedJvm.report("began", System.currentTimeMillis());
      ForkedJvm.report("admitted", key.runAtRate(perSecond, seconds));
      ForkedJvm.report("ended", System.currentTimeMillis());
      ForkedJvm.report("degraded", store.health().degradedDecisions());
    }
  }
}
