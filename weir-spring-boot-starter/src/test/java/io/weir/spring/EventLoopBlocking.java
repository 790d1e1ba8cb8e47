package io.weir.spring;

import reactor.blockhound.BlockHound;

/** Has whatever blocks an event loop of the application fail. */
final class EventLoopBlocking {

  private EventLoopBlocking() {}

  /** From now on. The Redis driver's own loops are not the application's. */
  static void failOnBlocking() {
    BlockHound.builder()
        .loadIntegrations()
        .nonBlockingThreadPredicate(
            usual -> usual.and(thread -> !thread.getName().startsWith("lettuce")))
        .install();
  }
}
