package io.weir.testkit.redis;

import io.weir.store.Clock;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection through a proxy, whose backend can change under it.
 *
 * <p>Three threads: one carries requests, one reads replies and notes when each is due, and one
 * delivers them when they are. Reading and delivering are apart so that a delay holds every reply
 * equally long, however many are on their way.
 */
final class FaultLink {
  private static final int CHUNK = 1 << 14;
  private static final int CHUNKS_ON_THE_WAY = 1 << 10;
  private static final int CONNECT_MILLIS = 1_000;

  private static final class Chunk {
    final byte[] bytes;
    final int length;
    final long due;

    Chunk(byte[] bytes, int length, long due) {
      this.bytes = bytes;
      this.length = length;
      this.due = due;
    }
  }

  private final Socket client;
  private final Faults faults;
  private final Consumer<FaultLink> closed;
  private final Clock clock = Clock.system();
  private final BlockingQueue<Chunk> replies = new LinkedBlockingQueue<>(CHUNKS_ON_THE_WAY);
  private Socket backend = new Socket();
  private volatile boolean stranded;

  FaultLink(Socket client, Faults faults, Consumer<FaultLink> closed) {
    this.client = client;
    this.faults = faults;
    this.closed = closed;
  }

  void open(int port) {
    swap(port);
    thread("requests", this::carryRequests);
    thread("replies", this::readReplies);
    thread("delivery", this::deliver);
  }

  void strand() {
    stranded = true;
  }

  synchronized void swap(int port) {
    Socket old = backend;
    backend = new Socket();
    try {
      client.setTcpNoDelay(true);
      backend.setTcpNoDelay(true);
      backend.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
    } catch (IOException e) {
      if (!isDark()) {
        close();
      }
    }
    close(old);
    notifyAll();
  }

  synchronized void close() {
    close(client);
    close(backend);
    notifyAll();
    closed.accept(this);
  }

  private void carryRequests() {
    byte[] buffer = new byte[CHUNK];
    for (int n = read(client, buffer); n >= 0; n = read(client, buffer)) {
      if (isDark()) {
        continue;
      }
      Socket to = backend();
      try {
        to.getOutputStream().write(buffer, 0, n);
      } catch (IOException e) {
        if (to == backend()) {
          break;
        }
      }
    }
    close();
  }

  private void readReplies() throws InterruptedException {
    Socket from = backend();
    while (from != null) {
      byte[] buffer = new byte[CHUNK];
      int n = read(from, buffer);
      if (n > 0) {
        replies.put(chunk(buffer, n));
      } else {
        from = after(from);
      }
    }
    replies.put(chunk(new byte[0], 0));
  }

  private void deliver() throws InterruptedException {
    boolean open = true;
    while (open) {
      Chunk chunk = replies.take();
      TimeUnit.MICROSECONDS.sleep(chunk.due - clock.micros());
      Faults.Share share = faults.share(chunk.length);
      try {
        OutputStream out = client.getOutputStream();
        if (!stranded) {
          out.write(share.strays);
          out.write(chunk.bytes, share.from, share.to - share.from);
        }
        open = !share.last && chunk.length > 0;
      } catch (IOException e) {
        open = false;
      }
    }
    close();
    // the reading thread may be waiting for room
    replies.clear();
  }

  private boolean isDark() {
    return stranded || faults.blackhole();
  }

  private Chunk chunk(byte[] bytes, int length) {
    return new Chunk(bytes, length, clock.micros() + faults.delayMicros());
  }

  private synchronized Socket backend() {
    return backend;
  }

  /** The backend that took this one's place; none if it ended by itself and the client may know. */
  private synchronized @Nullable Socket after(Socket ended) throws InterruptedException {
    while (backend == ended && isDark() && !client.isClosed()) {
      wait();
    }
    return backend == ended || client.isClosed() ? null : backend;
  }

  private interface Work {
    void run() throws InterruptedException;
  }

  private void thread(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (InterruptedException e) {
                close();
              }
            },
            "fault-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  /** The number of bytes, or -1 once either side has closed it. */
  private static int read(Socket socket, byte[] buffer) {
    try {
      return socket.getInputStream().read(buffer);
    } catch (IOException e) {
      return -1;
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
