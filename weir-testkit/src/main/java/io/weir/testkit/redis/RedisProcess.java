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
 * A real Redis server process for one test, on a free loopback port; ends with the test or the JVM.
 *
 * <p>Safe for use by several threads, except that {@link #restart} and {@link #close} must be
 * called by one thread at a time. Commands are sent one at a time.
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
   * Starts a server that is ready, empty and without persistence unless configured otherwise.
   *
   * @param settings lines of redis.conf, such as {@code "maxmemory 2mb"}
   * @throws IllegalStateException if it does not start, with its output
   */
  public static RedisProcess start(String... settings) {
    return start(List.of(), List.of(settings));
  }

  static RedisProcess start(List<String> flags, List<String> settings) {
    for (int attempt = 1; ; attempt++) {
      RedisProcess redis = new RedisProcess(flags, settings);
      try {
        redis.launch();
        return redis;
      } catch (RuntimeException e) {
        boolean taken = redis.folder.readLog().contains("Address already in use");
        redis.close();
        if (!taken || attempt == MAX_START_ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  public int port() {
    return port;
  }

  /** Returns the id of the current process, which changes with each {@link #restart}. */
  public long pid() {
    return requireProcess().pid();
  }

  public String uri() {
    return "redis://127.0.0.1:" + port;
  }

  /** Suspends the process until {@link #thaw}; its connections stay open. */
  public void freeze() {
    ProcessSignals.suspend(requireProcess().toHandle());
  }

  /** Resumes the process after {@link #freeze}. */
  public void thaw() {
    ProcessSignals.resume(requireProcess().toHandle());
  }

  /** Kills the process, as in a crash, and returns when it has ended. */
  public void kill() {
    ProcessSignals.kill(requireProcess().toHandle());
  }

  /** Kills the process if it runs, and starts it again with the same port, settings and files. */
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
  public @Nullable Object command(String... arguments) {
    return command(REPLY_TIMEOUT, arguments);
  }

  @Nullable Object command(Duration timeout, String... arguments) {
    return commands.send(timeout, arguments);
  }

  /** Returns the CPU time of the current process so far, in steps of about ten milliseconds. */
  public Duration cpuTime() {
    return requireProcess()
        .info()
        .totalCpuDuration()
        .orElseThrow(() -> new IllegalStateException("unknown CPU time of process " + pid()));
  }

  /** Kills the process and deletes its directory. */
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

  /** Kills all processes first, so that a failing deletion leaves no process behind. */
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
      throw new IllegalStateException("Redis did not start. Its output:\n" + folder.readLog());
    }
  }

  private Process requireProcess() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("the server was not started");
    }
    return running;
  }

  /** Also checks the process id, since another server may have taken the port. */
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
