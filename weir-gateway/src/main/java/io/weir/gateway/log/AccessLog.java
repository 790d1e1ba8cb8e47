package io.weir.gateway.log;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.weir.internal.background.BackgroundTask;
import io.weir.store.Clock;
import io.weir.web.LineWriter;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The access log: a bounded queue of requests that a background thread formats and writes. Safe for
 * any number of threads.
 *
 * <p>Logging never blocks: what finds the queue full, or cannot be written, is dropped; the number
 * of dropped lines is counted, and logged as soon as there is room.
 */
public final class AccessLog implements AutoCloseable {
  static final int QUEUE_CAPACITY = 8192;
  private static final int MAX_BATCH_CHARS = 64 * 1024;
  private static final int MIN_LOGGED_ERROR = 500;
  private static final long POLL_MILLIS = 250;
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  private final LineWriter out;
  private final AccessLogFormat format;
  private final int sampleInterval;
  private final Clock clock;
  private final Counter droppedTotal;
  private final BlockingQueue<AccessLogEntry> queue = new ArrayBlockingQueue<>(QUEUE_CAPACITY);
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final BackgroundTask writer;

  /**
   * Starts to write.
   *
   * @param out closed with the log
   * @param sampleInterval one of so many requests is logged; those answered with 500 and above
   *     always
   */
  public AccessLog(
      LineWriter out,
      AccessLogFormat format,
      int sampleInterval,
      MeterRegistry registry,
      Clock clock) {
    this.out = out;
    this.format = format;
    this.sampleInterval = sampleInterval;
    this.clock = clock;
    droppedTotal =
        Counter.builder("weir.gateway.access.log.dropped")
            .description("Lines of the access log that were dropped")
            .register(registry);
    writer =
        BackgroundTask.named("access-log", clock::micros)
            .maxInterval(Duration.ofSeconds(1))
            .onClose(this::flush)
            .start(this::writeRound);
  }

  /** Whether a request with this response is logged; counts it as a request. */
  public boolean isLogged(int status) {
    return requests.getAndIncrement() % sampleInterval == 0 || status >= MIN_LOGGED_ERROR;
  }

  /** Logs a request; returns at once. */
  public void log(AccessLogEntry entry) {
    if (!queue.offer(entry)) {
      drop(1);
    }
  }

  private void drop(long lines) {
    dropped.addAndGet(lines);
    droppedTotal.increment((double) lines);
  }

  private void writeRound() throws InterruptedException {
    AccessLogEntry next = queue.poll(POLL_MILLIS, MILLISECONDS);
    if (next != null) {
      writeBatch(next);
    }
    reportDropped();
  }

  private void flush() {
    for (AccessLogEntry next = queue.poll(); next != null; next = queue.poll()) {
      writeBatch(next);
    }
    reportDropped();
  }

  private void writeBatch(AccessLogEntry first) {
    StringBuilder batch = new StringBuilder();
    long lines = 0;
    boolean written = false;
    try {
      for (AccessLogEntry next = first; next != null; ) {
        lines++;
        format.append(batch, next);
        next = batch.length() < MAX_BATCH_CHARS ? queue.poll() : null;
      }
      written = out.writeLines(batch);
    } finally {
      if (!written) {
        drop(lines);
      }
    }
  }

  private void reportDropped() {
    long count = dropped.get();
    if (count > 0) {
      StringBuilder line = new StringBuilder();
      format.appendDropped(line, clock.micros(), count);
      if (out.writeLines(line)) {
        dropped.addAndGet(-count);
      }
    }
  }

  /** Writes what is queued, and closes the target. */
  @Override
  public void close() {
    writer.close(CLOSE_TIMEOUT);
    out.close();
  }
}
