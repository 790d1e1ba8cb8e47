package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.weir.store.Clock;
import io.weir.store.StoreException;
import io.weir.store.StoreException.Kind;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way to the server: keeps one connection, runs the script over it, and makes another when it
 * breaks. A call without a connection fails at once; one that fails is never sent again, unless the
 * server said that it had not begun it.
 */
final class Link implements AutoCloseable {
  private static final Logger LOG = System.getLogger(RedisStore.class.getName());
  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 500;
  private static final long BEAT_MS = 500;
  private static final long BEATS_PER_RENEWAL = 100_000;
  private static final long SETUP_LIVES_MS = 1000L * 86_400_000;
  private static final long DRIFT_WARN_MICROS = 20_000;

  private final Address address;
  private final byte[] setupKey;
  private final Clock wall;
  private final Consumer<Setup> joined;
  private final ClientResources resources;
  private final Route route;
  private final CompletableFuture<Boolean> firstTry = new CompletableFuture<>();
  private volatile Setup setup;
  private volatile Route.@Nullable Wire wire;
  private volatile boolean functions;
  private volatile boolean closed;
  private volatile String trouble = "not connected yet";
  private volatile long drift;
  private long pause = FIRST_PAUSE_MS;
  private long beats;
  private volatile String destination = "";
  private @Nullable String logged;
  private boolean driftLogged;

  /**
   * @param setup what this node would have; the store may know better
   * @param joined hears the store's own set-up before anything is asked under it
   */
  Link(Address address, String prefix, Setup setup, Clock wall, Consumer<Setup> joined) {
    this.address = address;
    this.setup = setup;
    this.setupKey = (prefix + ":setup").getBytes(US_ASCII);
    this.wall = wall;
    this.joined = joined;
    resources = DefaultClientResources.builder().ioThreadPoolSize(2).build();
    route = Route.to(address, resources);
  }

  /** What happens when a call is answered. */
  @FunctionalInterface
  interface Then {
    void done(byte @Nullable [] reply, @Nullable StoreException failure);
  }

  /** Begins; completes when connected, or with false when the first try has failed. */
  CompletableFuture<Boolean> open() {
    connect();
    beatLater();
    return firstTry;
  }

  /** Runs the script on a shelf; what is returned can be cancelled while it is not sent. */
  Future<?> call(byte[] shelf, byte[][] arguments, Then then) {
    Route.Wire to = wire;
    if (to == null) {
      then.done(null, new StoreException(Kind.UNREACHABLE, trouble));
      return CompletableFuture.completedFuture("");
    }
    Script script = Script.WEIR;
    boolean asFunction = functions;
    CommandType command = asFunction ? CommandType.FCALL : CommandType.EVALSHA;
    byte[] name = asFunction ? script.name.getBytes(US_ASCII) : script.sha;
    CompletableFuture<byte[]> answer =
        send(to, command, name, shelf, arguments).toCompletableFuture();
    var unused =
        answer.whenComplete(
            (reply, failure) -> {
              if (failure == null) {
                then.done(reply, null);
              } else if (isUnknown(failure)) {
                again(to, shelf, arguments, then, asFunction);
              } else {
                then.done(null, judge(to, failure));
              }
            });
    return answer;
  }

  /** The server has forgotten the script, so nothing was done: brings it along this time. */
  private void again(
      Route.Wire to, byte[] shelf, byte[][] arguments, Then then, boolean asFunction) {
    if (asFunction) {
      var unused = to.load(Script.WEIR.library);
    }
    send(to, CommandType.EVAL, Script.WEIR.text, shelf, arguments)
        .whenComplete(
            (reply, failure) -> then.done(reply, failure == null ? null : judge(to, failure)));
  }

  private static CompletionStage<byte[]> send(
      Route.Wire to, CommandType command, byte[] name, byte[] shelf, byte[][] arguments) {
    CommandArgs<byte[], byte[]> args = new CommandArgs<>(ByteArrayCodec.INSTANCE);
    args.add(name).add(1).addKey(shelf);
    for (byte[] argument : arguments) {
      args.add(argument);
    }
    try {
      return to.commands().dispatch(command, new ByteArrayOutput<>(ByteArrayCodec.INSTANCE), args);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static boolean isUnknown(Throwable failure) {
    String text = String.valueOf(failure.getMessage());
    return text.startsWith("NOSCRIPT") || text.contains("Function not found");
  }

  /** What a failure means, and whether the connection is any good after it. */
  private StoreException judge(Route.Wire to, Throwable failure) {
    Throwable cause = failure instanceof CompletionException c ? c.getCause() : failure;
    String text = String.valueOf(cause == null ? failure : cause.getMessage());
    if (cause instanceof RedisCommandExecutionException) {
      if (text.startsWith("READONLY") || text.contains("-READONLY")) {
        drop(to, "it has become a replica");
      }
      return new StoreException(Kind.ERROR, text);
    }
    if (cause instanceof CancellationException) {
      return new StoreException(Kind.UNREACHABLE, "the connection broke");
    }
    return new StoreException(Kind.UNREACHABLE, text);
  }

  /** Gives up a connection that cannot be trusted any more, and makes another. */
  void drop(String reason) {
    Route.Wire current = wire;
    if (current != null) {
      drop(current, reason);
    }
  }

  private void drop(Route.Wire broken, String reason) {
    synchronized (this) {
      if (wire != broken) {
        return;
      }
      wire = null;
      trouble = reason;
    }
    say(reason);
    var unused = broken.connection().closeAsync();
    connectLater();
  }

  boolean isCluster() {
    return address.kind() == Address.Kind.CLUSTER;
  }

  boolean isConnected() {
    return wire != null;
  }

  /** Why there is no connection. */
  String trouble() {
    return trouble;
  }

  /** How far the server's clock is ahead of this node's, in microseconds. */
  long drift() {
    return drift;
  }

  void later(long millis, Runnable step) {
    if (!closed) {
      var unused = resources.eventExecutorGroup().schedule(step, millis, TimeUnit.MILLISECONDS);
    }
  }

  private void connect() {
    if (closed) {
      return;
    }
    CompletionStage<Route.Wire> connecting;
    try {
      connecting =
          route
              .destination()
              .thenCompose(
                  where -> {
                    destination = where;
                    return route.connect();
                  });
    } catch (RuntimeException e) {
      connecting = CompletableFuture.failedFuture(e);
    }
    var unused =
        connecting
            .thenCompose(this::prepare)
            .whenComplete(
                (to, failure) -> {
                  if (failure == null) {
                    connected(to);
                  } else {
                    trouble = explain(failure);
                    say(trouble);
                    firstTry.complete(false);
                    connectLater();
                  }
                });
  }

  /** Agrees on the set-up and brings the script, before anything is asked. */
  private CompletionStage<Route.Wire> prepare(Route.Wire to) {
    return agree(to)
        .thenCompose(
            unused -> to.load(Script.WEIR.library).handle((done, failure) -> failure == null))
        .thenCompose(
            hasFunctions -> {
              functions = hasFunctions;
              return hasFunctions
                  ? CompletableFuture.completedFuture("")
                  : to.commands().scriptLoad(Script.WEIR.text);
            })
        .handle(
            (done, failure) -> {
              if (failure != null) {
                var unused = to.connection().closeAsync();
                throw failure instanceof CompletionException e
                    ? e
                    : new CompletionException(failure);
              }
              return to;
            });
  }

  private CompletionStage<Void> agree(Route.Wire to) {
    var commands = to.commands();
    return commands
        .set(setupKey, setup.bytes(), SetArgs.Builder.nx())
        .thenCompose(unused -> commands.pexpire(setupKey, SETUP_LIVES_MS))
        .thenCompose(unused -> commands.get(setupKey))
        .thenAccept(
            bytes -> {
              Setup theirs = bytes == null ? null : Setup.of(bytes);
              if (theirs == null) {
                throw new IllegalStateException(
                    "its key "
                        + new String(setupKey, US_ASCII)
                        + " is not Weir's; choose another prefix or delete it");
              }
              adopt(theirs);
            });
  }

  private void adopt(Setup theirs) {
    if (theirs.shelves() != setup.shelves() || theirs.cut() != setup.cut()) {
      LOG.log(
          Level.WARNING,
          "{0} was set up with shelves={1} and page-bytes={2}; this node follows",
          address,
          theirs.shelves(),
          theirs.cut());
    }
    setup = theirs;
    joined.accept(theirs);
  }

  private void connected(Route.Wire to) {
    boolean first;
    synchronized (this) {
      first = logged == null;
      logged = null;
      pause = FIRST_PAUSE_MS;
      wire = to;
    }
    if (!first) {
      LOG.log(Level.INFO, "{0} is connected again", address);
    }
    if (!isCluster()) {
      to.connection().addListener(new Disconnection(() -> drop(to, "the connection broke")));
      if (!to.connection().isOpen()) {
        drop(to, "the connection broke");
      }
    }
    if (closed) {
      var unused = to.connection().closeAsync();
    }
    firstTry.complete(true);
  }

  private void connectLater() {
    long wait;
    synchronized (this) {
      wait = pause;
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
    }
    later(wait, this::connect);
  }

  private void beatLater() {
    later(
        BEAT_MS,
        () -> {
          beat();
          beatLater();
        });
  }

  /** Compares clocks, and looks whether the set-up is still there. */
  private void beat() {
    Route.Wire to = wire;
    if (to == null) {
      return;
    }
    long asked = wall.micros();
    try {
      var unused = to.commands().time().thenAccept(time -> compare(time, asked));
      var unusedLook = route.destination().thenAccept(where -> follow(to, where));
      var unusedToo =
          ++beats % BEATS_PER_RENEWAL == 0
              ? agree(to)
              : to.commands()
                  .get(setupKey)
                  .thenCompose(
                      bytes ->
                          Arrays.equals(bytes, setup.bytes())
                              ? CompletableFuture.completedFuture(null)
                              : agree(to));
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "a look at the store failed", e);
    }
  }

  /** Leaves a master that the sentinels no longer name, though it still answers. */
  private void follow(Route.Wire to, String where) {
    if (!where.equals(destination)) {
      drop(to, "the sentinels name another master");
    }
  }

  private void compare(List<byte[]> time, long asked) {
    long store = number(time.get(0)) * 1_000_000 + number(time.get(1));
    long answered = wall.micros();
    long seen = store - (asked + answered) / 2;
    drift = Math.abs(seen) <= (answered - asked) / 2 ? 0 : seen;
    boolean far = Math.abs(drift) > DRIFT_WARN_MICROS;
    if (far && !driftLogged) {
      LOG.log(
          Level.WARNING,
          "the clock of {0} is {1} ms ahead of this node''s; the store''s is what counts",
          address,
          drift / 1000);
    }
    driftLogged = far;
  }

  private static long number(byte[] digits) {
    return Long.parseLong(new String(digits, US_ASCII));
  }

  /** One clear line for each trouble, not one for each try. */
  private void say(String reason) {
    synchronized (this) {
      if (reason.equals(logged) || closed) {
        return;
      }
      logged = reason;
    }
    LOG.log(
        Level.WARNING, "{0}: {1}; rules answer by their posture until it is back", address, reason);
  }

  private static String explain(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getCause() != cause) {
      cause = cause.getCause();
    }
    String text = String.valueOf(cause.getMessage());
    if (text.startsWith("WRONGPASS") || text.startsWith("NOAUTH") || text.contains("AUTH failed")) {
      return "the user or password is wrong (" + text + "); write redis://user:password@host:port";
    }
    if (text.startsWith("NOPERM")) {
      return "the user may not run scripts (" + text + "); allow it +@scripting +@read +@write";
    }
    if (text.startsWith("ERR unknown command")) {
      return "the server has no scripting (" + text + "); Weir needs Redis 5 or newer, or Valkey";
    }
    if (cause instanceof NullPointerException) { // the driver's, on a greeting it cannot read
      return "cannot be reached (its greeting cannot be read)";
    }
    return "cannot be reached (" + text + ")";
  }

  @Override
  public void close() {
    closed = true;
    firstTry.complete(false);
    Route.Wire current = wire;
    wire = null;
    trouble = "closed";
    if (current != null) {
      current.connection().close();
    }
    route.close();
    var unused = resources.shutdown(0, 1, TimeUnit.SECONDS);
  }
}
