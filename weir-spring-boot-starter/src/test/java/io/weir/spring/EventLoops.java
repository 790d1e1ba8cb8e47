package io.weir.spring;

import reactor.blockhound.BlockHound;

/** Has whatever blocks an event loop of the application fail. */
final class EventLoops {

  private EventLoops() {}

  /** From now on. The Redis driver's own loops are not the application's. */
  static void watch() {
    BlockHound.builder()
        .loadIntegrations()
        .nonBlockingThreadPredicate(
            usual -> usual.and(thread -> !thread.getName().startsWith("lettuce")))
        .install();
  }
}
