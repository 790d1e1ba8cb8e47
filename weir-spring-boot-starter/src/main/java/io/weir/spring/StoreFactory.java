package io.weir.spring;

import io.weir.redis.RedisStore;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.store.StoreListener;
import java.util.List;
import java.util.Optional;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Opens the store that settings ask for: {@code weir.store}, or else the application's Redis. */
final class StoreFactory {
  private static final String REDIS_DRIVER_CLASS = "io.lettuce.core.RedisClient";

  private StoreFactory() {}

  /**
   * The address of the store; empty for this process's memory.
   *
   * @throws StartFailureException if there is an address and nothing to speak to it with
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
          "Weir is to count in "
              + maskPassword(address.get())
              + ", but the driver Lettuce is not in the class path.",
          "Add spring-boot-starter-data-redis or io.lettuce:lettuce-core,"
              + " or write weir.store: memory to count in each instance alone.",
          null);
    }
    return address;
  }

  /**
   * @throws StartFailureException if the address is none
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
    for (StoreListener one : listeners) {
      all = StoreListener.combine(all, one);
    }
    try {
      return RedisStore.at(address.get())
          .deadline(settings.storeDeadline())
          .prefix(settings.storePrefix())
          .listener(all)
          .open();
    } catch (IllegalArgumentException e) {
      throw new StartFailureException(
          "Weir has no such store: " + e.getMessage() + ".",
          "Write weir.store: redis://host:port, or memory.",
          e);
    }
  }

  /** A URL without its password. */
  static String maskPassword(String url) {
    return url.replaceAll("//[^@]*@", "//…@").replaceAll("(?i)(password=)[^&;]*", "$1…");
  }
}
