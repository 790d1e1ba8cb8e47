package io.weir.rules;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;

import io.weir.internal.background.BackgroundTask;
import io.weir.store.Clock;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks a file when anything changes in its directory, and every second in any case.
 *
 * <p>The directory is watched rather than the file, since editors replace the file and Kubernetes
 * swaps the link {@code ..data} beside it. A check waits until there was no event for 50 ms, so
 * that a half-written file is rarely read; continuous writers delay it by at most 10 such waits.
 */
final class DirectoryWatcher implements AutoCloseable {
  static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  private static final Logger LOG = System.getLogger(FileRules.class.getName());
  private static final long QUIET_MILLIS = 50;
  private static final int MAX_QUIET_WAITS = 10;

  private final Path directory;
  private final Runnable fileCheck;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final BackgroundTask task;
  private volatile @Nullable WatchService watchService;
  private @Nullable WatchKey key;

  private DirectoryWatcher(Path file, Clock clock, Runnable fileCheck) {
    Path parent = file.getParent();
    this.directory = parent == null ? file : parent;
    this.fileCheck = fileCheck;
    watchService = openWatchService();
    registerDirectory();
    task =
        BackgroundTask.named("rules-file", clock::micros)
            .maxInterval(CHECK_INTERVAL)
            .start(this::runOnce);
  }

  static DirectoryWatcher start(Path file, Clock clock, Runnable fileCheck) {
    return new DirectoryWatcher(file, clock, fileCheck);
  }

  private @Nullable WatchService openWatchService() {
    try {
      return directory.getFileSystem().newWatchService();
    } catch (IOException | UnsupportedOperationException e) {
      LOG.log(Level.WARNING, "{0} cannot be watched ({1}); checking every second", directory, e);
      return null;
    }
  }

  private void registerDirectory() {
    WatchService watching = watchService;
    if (watching != null && (key == null || !key.isValid())) {
      try {
        key = directory.register(watching, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE);
      } catch (IOException e) {
        key = null; // it does not exist now; retried at the next check
      }
    }
  }

  private void runOnce() throws InterruptedException {
    try {
      int waits = 0;
      long wait = CHECK_INTERVAL.toMillis();
      while (waits++ < MAX_QUIET_WAITS && awaitEvent(wait)) {
        wait = QUIET_MILLIS;
      }
      registerDirectory();
    } catch (ClosedWatchServiceException e) {
      watchService = null; // unless this watcher was closed, checks go on every second
    }
    if (closed.getCount() > 0) {
      fileCheck.run();
    }
  }

  /** Waits for an event in the directory; returns whether there was one within the time. */
  private boolean awaitEvent(long millis) throws InterruptedException {
    WatchService watching = watchService;
    if (watching == null) {
      closed.await(millis, TimeUnit.MILLISECONDS);
      return false;
    }
    WatchKey happened = watching.poll(millis, TimeUnit.MILLISECONDS);
    if (happened != null) {
      happened.pollEvents();
      happened.reset();
    }
    return happened != null;
  }

  /** Returns at once; a running check may end later. */
  @Override
  public void close() {
    task.stop();
    closed.countDown();
    try {
      WatchService watching = watchService;
      if (watching != null) {
        watching.close();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "failed to close the watch service of " + directory, e);
    }
  }
}
