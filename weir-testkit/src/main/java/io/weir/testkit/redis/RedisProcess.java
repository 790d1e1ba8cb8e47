package io.weir.testkit.redis;

import io.weir.testkit.Signals;
import io.weir.testkit.Soon;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One real Redis server of a test's own, on a free loopback port, ended with the test or the JVM.
 *
 * <p>Safe for use by several threads, except that {@link #restart} and {@link #close} are for one
 * thread at a time. Commands wait for each other.
 */
public final class RedisProcess implements AutoCloseable {
  private static final Duration STARTING = Duration.ofSeconds(15);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int PORTS_TRIED = 3;

  private static final Set<RedisProcess> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(RedisProcess::endAll));
  }

  private final int port = RedisPorts.take();
  private final List<String> flags;
  private final RedisFolder folder;
  private final RedisCommands commands;

  private volatile @Nullable Process process;

  private RedisProcess(List<String> flags, List<String> settings) {
    this.flags = flags;
    commands = new RedisCommands(port, settings);
    folder = new RedisFolder(port, settings);
    OPEN.add(this);
  }

  /**
   * A server that answers, empty and without persistence unless the settings say otherwise.
   *
   * @param settings lines of redis.conf, such as {@code "maxmemory 2mb"}
   * @throws IllegalStateException if it does not start, with what it printed
   */
  public static RedisProcess start(String... settings) {
    return start(List.of(), List.of(settings));
  }

  static RedisProcess start(List<String> flags, List<String> settings) {
    for (int tried = 1; ; tried++) {
      RedisProcess redis = new RedisProcess(flags, settings);
      try {
        redis.launch();
        return redis;
      } catch (RuntimeException e) {
        boolean taken = redis.folder.log().contains("Address already in use");
        redis.close();
        if (!taken || tried == PORTS_TRIED) {
          throw e;
        }
      }
    }
  }

  public int port() {
    return port;
  }

  /** Of the process that runs now, a new one after each {@link #restart}. */
  public long pid() {
    return process().pid();
  }

  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /** Stops it in its tracks, its connections staying open, until {@link #thaw}. */
  public void freeze() {
    Signals.stop(process().toHandle());
  }

  /** Lets it go on after {@link #freeze}. */
  public void thaw() {
    Signals.resume(process().toHandle());
  }

  /** Ends it as a crash would, and returns when it is gone. */
  public void kill() {
    Signals.kill(process().toHandle());
  }

  /** Ends it if it runs, and starts it again on the same port with the same settings and files. */
  public void restart() {
    kill();
    launch();
  }

  /**
   * Sends one command.
   *
   * @return a String, a Long, a List of these, or null; an error inside a List is an
   *     IllegalStateException in it
   * @throws IllegalStateException with the text of an error reply
   * @throws UncheckedIOException if no reply comes within ten seconds
   */
  public @Nullable Object command(String... words) {
    return command(PATIENCE, words);
  }

  @Nullable Object command(Duration patience, String... words) {
    return commands.send(patience, words);
  }

  /** CPU time that the process running now has used so far, in steps of about ten milliseconds. */
  public Duration cpu() {
    return process()
        .info()
        .totalCpuDuration()
        .orElseThrow(() -> new IllegalStateException("no CPU time known of process " + pid()));
  }

  /** Ends it and deletes its folder. */
  @Override
  public void close() {
    Process running = process;
    if (running != null) {
      Signals.kill(running.toHandle());
    }
    commands.close();
    folder.delete();
    if (OPEN.remove(this)) {
      RedisPorts.release(port);
    }
  }

  /** First all processes, so that a folder that cannot be deleted leaves none behind. */
  private static void endAll() {
    for (RedisProcess redis : OPEN) {
      Process running = redis.process;
      if (running != null) {
        running.destroyForcibly();
      }
    }
    OPEN.forEach(RedisProcess::close);
  }

  private void launch() {
    Process started = folder.launch(RedisExecutable.path(), flags);
    process = started;
    if (!Soon.comes(STARTING, () -> !started.isAlive() || answers(started.pid()))
        || !started.isAlive()) {
      throw new IllegalStateException("Redis did not start. It printed:\n" + folder.log());
    }
  }

  private Process process() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("not started");
    }
    return running;
  }

  /** Asks for the process too, since the port may have been taken by another server. */
  private boolean answers(long pid) {
    try {
      return "PONG".equals(command("PING"))
          && command("INFO", "server") instanceof String info
          && info.contains("process_id:" + pid + "\r\n");
    } catch (UncheckedIOException | IllegalStateException e) {
      return false;
    }
  }
}
