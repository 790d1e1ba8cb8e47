package io.weir.testkit.redis;

import io.weir.testkit.Await;
import io.weir.testkit.ProcessSignals;
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
  private static final Duration START_TIMEOUT = Duration.ofSeconds(15);
  private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(10);
  private static final int MAX_START_ATTEMPTS = 3;

  private static final Set<RedisProcess> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(RedisProcess::killAll));
  }

  private final int port = RedisPortAllocator.allocate();
  private final List<String> flags;
  private final RedisServerDirectory folder;
  private final RedisCommandClient commands;

  private volatile @Nullable Process process;

  private RedisProcess(List<String> flags, List<String> settings) {
    this.flags = flags;
    commands = new RedisCommandClient(port, settings);
    folder = new RedisServerDirectory(port, settings);
    RUNNING.add(this);
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
        boolean taken = redis.folder.readLog().contains("Address already in use");
        redis.close();
        if (!taken || tried == MAX_START_ATTEMPTS) {
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
    return requireProcess().pid();
  }

  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /** Stops it in its tracks, its connections staying open, until {@link #thaw}. */
  public void freeze() {
    ProcessSignals.suspend(requireProcess().toHandle());
  }

  /** Lets it go on after {@link #freeze}. */
  public void thaw() {
    ProcessSignals.resume(requireProcess().toHandle());
  }

  /** Ends it as a crash would, and returns when it is gone. */
  public void kill() {
    ProcessSignals.kill(requireProcess().toHandle());
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
    return command(REPLY_TIMEOUT, words);
  }

  @Nullable Object command(Duration patience, String... words) {
    return commands.send(patience, words);
  }

  /** CPU time that the process running now has used so far, in steps of about ten milliseconds. */
  public Duration cpuTime() {
    return requireProcess()
        .info()
        .totalCpuDuration()
        .orElseThrow(() -> new IllegalStateException("no CPU time known of process " + pid()));
  }

  /** Ends it and deletes its folder. */
  @Override
  public void close() {
    Process running = process;
    if (running != null) {
      ProcessSignals.kill(running.toHandle());
    }
    commands.close();
    folder.delete();
    if (RUNNING.remove(this)) {
      RedisPortAllocator.release(port);
    }
  }

  /** First all processes, so that a folder that cannot be deleted leaves none behind. */
  private static void killAll() {
    for (RedisProcess redis : RUNNING) {
      Process running = redis.process;
      if (running != null) {
        running.destroyForcibly();
      }
    }
    RUNNING.forEach(RedisProcess::close);
  }

  private void launch() {
    Process started = folder.launch(RedisExecutable.path(), flags);
    process = started;
    if (!Await.isTrueWithin(START_TIMEOUT, () -> !started.isAlive() || isAnswering(started.pid()))
        || !started.isAlive()) {
      throw new IllegalStateException("Redis did not start. It printed:\n" + folder.readLog());
    }
  }

  private Process requireProcess() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("not started");
    }
    return running;
  }

  /** Asks for the process too, since the port may have been taken by another server. */
  private boolean isAnswering(long pid) {
    try {
      return "PONG".equals(command("PING"))
          && command("INFO", "server") instanceof String info
          && info.contains("process_id:" + pid + "\r\n");
    } catch (UncheckedIOException | IllegalStateException e) {
      return false;
    }
  }
}
