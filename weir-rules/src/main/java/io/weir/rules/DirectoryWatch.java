package io.weir.rules;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a file when anything happens in its directory, and every second in any case.
 *
 * <p>The directory is watched rather than the file, since editors put another file in its place and
 * Kubernetes turns the link {@code ..data} beside it. A look waits until nothing has happened for a
 * moment, so that a file half written is rarely seen; writers that never rest do not put it off.
 */
final class DirectoryWatch implements AutoCloseable {
  private static final Logger LOG = System.getLogger(FileRules.class.getName());
  private static final long EVERY_MILLIS = 1000;
  private static final long QUIET_MILLIS = 50;
  private static final int MOST_WAITS = 10;

  private final Path directory;
  private final Runnable look;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final @Nullable WatchService service;
  private final Thread thread;
  private @Nullable WatchKey key;

  private DirectoryWatch(Path file, Runnable look) {
    Path parent = file.getParent();
    this.directory = parent == null ? file : parent;
    this.look = look;
    this.service = service();
    register();
    thread = new Thread(this::run, "weir-rules " + file.getFileName());
    thread.setDaemon(true);
  }

  static DirectoryWatch start(Path file, Runnable look) {
    DirectoryWatch watch = new DirectoryWatch(file, look);
    watch.thread.start();
    return watch;
  }

  private @Nullable WatchService service() {
    try {
      return directory.getFileSystem().newWatchService();
    } catch (IOException | UnsupportedOperationException e) {
      LOG.log(Level.WARNING, "{0} cannot be watched ({1}); looking every second", directory, e);
      return null;
    }
  }

  private void register() {
    if (service != null && (key == null || !key.isValid())) {
      try {
        key = directory.register(service, ENTRY_CREATE, ENTRY_MODIFY, ENTRY_DELETE);
      } catch (IOException e) {
        key = null; // not there now; tried again at the next look
      }
    }
  }

  private void run() {
    try {
      while (closed.getCount() > 0) {
        int waits = 0;
        long wait = EVERY_MILLIS;
        while (waits++ < MOST_WAITS && happened(wait)) {
          wait = QUIET_MILLIS;
        }
        register();
        if (closed.getCount() > 0) {
          guardedLook();
        }
      }
    } catch (InterruptedException | ClosedWatchServiceException e) {
      LOG.log(Level.DEBUG, "{0} is no longer watched", directory);
    }
  }

  private void guardedLook() {
    try {
      look.run();
    } catch (RuntimeException | StackOverflowError e) {
      LOG.log(Level.ERROR, "looking at " + directory + " failed; tried again", e);
    }
  }

  /** Whether something happens in the directory before the time is over. */
  private boolean happened(long millis) throws InterruptedException {
    if (service == null) {
      closed.await(millis, TimeUnit.MILLISECONDS);
      return false;
    }
    WatchKey happened = service.poll(millis, TimeUnit.MILLISECONDS);
    if (happened != null) {
      happened.pollEvents();
      happened.reset();
    }
    return happened != null;
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      if (service != null) {
        service.close();
      }
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "closing the watch of " + directory, e);
    }
  }
}
