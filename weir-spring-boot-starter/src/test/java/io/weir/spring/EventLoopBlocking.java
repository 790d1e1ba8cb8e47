package io.weir.spring;

import reactor.blockhound.BlockHound;

/** Makes blocking calls on event loops of the application fail, with BlockHound. */
final class EventLoopBlocking {

  private EventLoopBlocking() {}

  /** Installs BlockHound. The event loops of the Redis driver are exempt. */
  static void failOnBlocking() {
    BlockHound.builder()
        .loadIntegrations()
        .nonBlockingThreadPredicate(
            defaults -> defaults.and(thread -> !thread.getName().startsWith("lettuce")))
        .install();
  }
}
