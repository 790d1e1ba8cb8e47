package io.weir.spring;

import io.weir.internal.store.MemoryStore;
import io.weir.redis.RedisStore;
import io.weir.store.Clock;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import java.util.List;
import java.util.Optional;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Opens the configured store: {@code weir.store}, or else the application's Redis, or memory. */
final class StoreFactory {
  private static final String REDIS_DRIVER_CLASS = "io.lettuce.core.RedisClient";

  private StoreFactory() {}

  /**
   * Returns the address of the store; empty for the memory of this process.
   *
   * @throws StartFailureException if Redis is configured and its driver is missing
   */
  static Optional<String> resolveAddress(WeirProperties settings, Environment environment) {
    Optional<String> address =
        switch (settings.store()) {
          case "auto" -> RedisSettings.address(environment);
          case "memory" -> Optional.empty();
          default -> Optional.of(settings.store());
        };
    if (address.isPresent()
        && !ClassUtils.isPresent(REDIS_DRIVER_CLASS, StoreFactory.class.getClassLoader())) {
      throw new StartFailureException(
          "The store is "
              + maskPassword(address.get())
              + ", but the Redis driver Lettuce is not on the class path.",
          "Add spring-boot-starter-data-redis or io.lettuce:lettuce-core,"
              + " or set weir.store: memory to keep counters in each instance.",
          null);
    }
    return address;
  }

  /**
   * @throws StartFailureException if the address is invalid
   */
  static Store open(
      Optional<String> address,
      WeirProperties settings,
      Clock clock,
      List<StoreListener> listeners) {
    if (address.isEmpty()) {
      return new MemoryStore(clock);
    }
    StoreListener all = StoreListener.NONE;
    for (StoreListener listener : listeners) {
      all = StoreListener.combine(all, listener);
    }
    try {
      return RedisStore.at(address.get())
          .deadline(settings.storeDeadline())
          .prefix(settings.storePrefix())
          .listener(all)
          .open();
    } catch (IllegalArgumentException e) {
      throw new StartFailureException(
          "Invalid weir.store: " + e.getMessage() + ".",
          "Set weir.store to redis://host:port or memory.",
          e);
    }
  }

  /** Returns a URL with its password replaced. */
  static String maskPassword(String url) {
    return url.replaceAll("//[^@]*@", "//…@").replaceAll("(?i)(password=)[^&;]*", "$1…");
  }
}
