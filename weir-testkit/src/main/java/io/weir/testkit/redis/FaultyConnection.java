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
 * One client's connection through a {@link FaultProxy}; its backend can be switched.
 *
 * <p>It has three threads: one forwards requests, one reads replies and computes when each is due,
 * and one delivers them when due. Reading and delivering are separate so that a delay postpones
 * every reply equally long, however many are in flight.
 */
final class FaultyConnection {
  private static final int CHUNK_BYTES = 1 << 14;
  private static final int MAX_QUEUED_CHUNKS = 1 << 10;
  private static final int CONNECT_TIMEOUT_MILLIS = 1_000;

  private static final class DelayedChunk {
    final byte[] bytes;
    final int length;
    final long dueMicros;

    DelayedChunk(byte[] bytes, int length, long due) {
      this.bytes = bytes;
      this.length = length;
      this.dueMicros = due;
    }
  }

  private final Socket client;
  private final InjectedFaults faults;
  private final Consumer<FaultyConnection> onClosed;
  private final Clock clock = Clock.system();
  private final BlockingQueue<DelayedChunk> replies = new LinkedBlockingQueue<>(MAX_QUEUED_CHUNKS);
  private Socket backend = new Socket();
  private volatile boolean blackholed;

  FaultyConnection(Socket client, InjectedFaults faults, Consumer<FaultyConnection> closed) {
    this.client = client;
    this.faults = faults;
    this.onClosed = closed;
  }

  void open(int port) {
    switchBackend(port);
    startThread("requests", this::forwardRequests);
    startThread("replies", this::readReplies);
    startThread("delivery", this::deliverReplies);
  }

  void blackhole() {
    blackholed = true;
  }

  synchronized void switchBackend(int port) {
    Socket old = backend;
    backend = new Socket();
    try {
      client.setTcpNoDelay(true);
      backend.setTcpNoDelay(true);
      backend.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_TIMEOUT_MILLIS);
    } catch (IOException e) {
      if (!isBlackholed()) {
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
    onClosed.accept(this);
  }

  private void forwardRequests() {
    byte[] buffer = new byte[CHUNK_BYTES];
    for (int n = read(client, buffer); n >= 0; n = read(client, buffer)) {
      if (isBlackholed()) {
        continue;
      }
      Socket to = currentBackend();
      try {
        to.getOutputStream().write(buffer, 0, n);
      } catch (IOException e) {
        if (to == currentBackend()) {
          break;
        }
      }
    }
    close();
  }

  private void readReplies() throws InterruptedException {
    Socket from = currentBackend();
    while (from != null) {
      byte[] buffer = new byte[CHUNK_BYTES];
      int n = read(from, buffer);
      if (n > 0) {
        replies.put(delayedChunk(buffer, n));
      } else {
        from = awaitNextBackend(from);
      }
    }
    replies.put(delayedChunk(new byte[0], 0));
  }

  private void deliverReplies() throws InterruptedException {
    boolean open = true;
    while (open) {
      DelayedChunk chunk = replies.take();
      TimeUnit.MICROSECONDS.sleep(chunk.dueMicros - clock.micros());
      InjectedFaults.ForwardedBytes bytesToSend = faults.bytesToForward(chunk.length);
      try {
        OutputStream out = client.getOutputStream();
        if (!blackholed) {
          out.write(bytesToSend.strayBytes);
          out.write(chunk.bytes, bytesToSend.from, bytesToSend.to - bytesToSend.from);
        }
        open = !bytesToSend.closesConnection && chunk.length > 0;
      } catch (IOException e) {
        open = false;
      }
    }
    close();
    // the reading thread may be waiting for free space in the queue
    replies.clear();
  }

  private boolean isBlackholed() {
    return blackholed || faults.blackhole();
  }

  private DelayedChunk delayedChunk(byte[] bytes, int length) {
    return new DelayedChunk(bytes, length, clock.micros() + faults.delayMicros());
  }

  private synchronized Socket currentBackend() {
    return backend;
  }

  /**
   * Returns the backend that replaced a closed one; null if it closed by itself and the client's
   * connection is to be closed, too.
   */
  private synchronized @Nullable Socket awaitNextBackend(Socket closed)
      throws InterruptedException {
    while (backend == closed && isBlackholed() && !client.isClosed()) {
      wait();
    }
    return backend == closed || client.isClosed() ? null : backend;
  }

  private interface InterruptibleTask {
    void run() throws InterruptedException;
  }

  private void startThread(String name, InterruptibleTask task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (InterruptedException e) {
                close();
              }
            },
            "fault-proxy-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Returns the number of bytes read, or -1 if either side has closed the connection. */
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
