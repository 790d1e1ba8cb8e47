package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.rule.RuleSource;
import io.weir.rules.FileRules;
import io.weir.rules.database.DatabaseException;
import io.weir.rules.database.DatabaseRules;
import io.weir.rules.text.TextException;
import io.weir.server.config.Config;
import io.weir.server.config.Setting;
import io.weir.server.config.Settings;
import io.weir.server.http.DecisionApi;
import io.weir.server.http.OpenReservations;
import io.weir.store.Clock;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A running server: one store, one set of rules, one limiter, and the doors to it.
 *
 * <p>It stops in the opposite order: doors take no more, requests under way end, reservations are
 * given back, then store and rules are closed.
 */
public final class Server implements AutoCloseable {
  private static final Duration LONGEST_START = Duration.ofSeconds(30);

  private final Config config;
  private final Vertx vertx;
  private final RuleSource rules;
  private final Store store;
  private final List<OpenDoor> doors = new ArrayList<>();
  private final Deque<Runnable> endings = new ArrayDeque<>();

  private Server(Config config) {
    this.config = config;
    vertx = Vertx.vertx(new VertxOptions().setPreferNativeTransport(true));
    endings.push(() -> within(vertx.close(), LONGEST_START));
    try {
      rules = openRules();
      store = openStore();
      openDoors();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Starts all that a configuration asks for; returns when every door is open.
   *
   * @throws StartException with one line for people, everything ended that was begun
   */
  public static Server start(Config config) {
    return new Server(config);
  }

  private RuleSource openRules() {
    String url = config.get(Settings.RULES);
    try {
      if (url.startsWith("file:")) {
        FileRules file = FileRules.open(url);
        endings.push(file::close);
        return file;
      }
      DatabaseRules database =
          DatabaseRules.open(url, config.get(Settings.DATA).resolve("rules-copy"));
      endings.push(database::close);
      return database;
    } catch (TextException | DatabaseException e) {
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  private Store openStore() {
    String url = config.get(Settings.STORE);
    Store opened =
        url.equals("memory")
            ? new MemoryStore(Clock.system())
            : RedisStore.at(url)
                .deadline(config.get(Settings.STORE_DEADLINE))
                .maxInFlight(config.get(Settings.STORE_IN_FLIGHT))
                .prefix(config.get(Settings.STORE_PREFIX))
                .open();
    endings.push(opened::close);
    return opened;
  }

  private void openDoors() {
    Limiter limiter = Weir.limiter(rules).store(store).build();
    OpenReservations reservations = new OpenReservations(node(), Clock.system());
    endings.push(() -> within(Future.fromCompletionStage(reservations.cancelAll()), LONGEST_START));
    DecisionApi api = new DecisionApi(limiter, reservations);
    open("http", Settings.HTTP_HOST, Settings.HTTP_PORT, api::handler);
  }

  private void open(
      String name,
      Setting<String> host,
      Setting<OptionalInt> port,
      Supplier<io.vertx.core.Handler<io.vertx.core.http.HttpServerRequest>> handlers) {
    OptionalInt number = config.get(port);
    if (number.isEmpty()) {
      return;
    }
    Door door =
        new Door(name, config.get(host), number.getAsInt(), DoorOptions.of(config), handlers);
    int loops = Runtime.getRuntime().availableProcessors();
    try {
      OpenDoor open =
          OpenDoor.open(vertx, door, loops, config.get(Settings.MAX_CONNECTIONS))
              .toCompletionStage()
              .toCompletableFuture()
              .get(LONGEST_START.toSeconds(), TimeUnit.SECONDS);
      doors.add(open);
      endings.push(() -> within(open.close(config.get(Settings.DRAIN)), LONGEST_START));
    } catch (ExecutionException e) {
      throw new StartException(
          "%s: cannot listen at %s:%d (%s); write another --%s-port, or off"
              .formatted(name, door.host(), door.port(), reason(e), name),
          e);
    } catch (TimeoutException e) {
      throw new StartException(name + ": does not open; try again", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while starting", e);
    }
  }

  private static String reason(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage());
  }

  private String node() {
    return config.get(Settings.NODE).orElseGet(Summary::hostName);
  }

  /** The port of a door that is open; empty if it is closed. */
  public OptionalInt port(String door) {
    return doors.stream().filter(d -> d.name().equals(door)).mapToInt(OpenDoor::port).findAny();
  }

  /** Which store, which rules and which doors, in one screen. */
  public String summary() {
    return Summary.of(config, node(), store, rules, doors);
  }

  /** Ends everything, the last begun first. */
  @Override
  public void close() {
    while (!endings.isEmpty()) {
      endings.pop().run();
    }
  }

  private static void within(Future<?> future, Duration most) {
    try {
      var unused =
          future
              .toCompletionStage()
              .toCompletableFuture()
              .get(most.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      System.getLogger(Server.class.getName())
          .log(System.Logger.Level.WARNING, "while stopping: {0}", reason(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
