package io.weir.bench.server;

import io.weir.bench.report.Latencies;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Load on a port from one thread: closed, where every answer is followed by the next request, or
 * open, where requests come at a rate whatever the answers do and each latency counts from the time
 * its request was due.
 */
final class Load implements AutoCloseable {
  private static final int CLOSED = 0;
  private static final int BUFFER = 1 << 17;

  private final Selector selector = Selector.open();
  private final List<Connection> connections = new ArrayList<>();
  private final Deque<Free> free = new ArrayDeque<>();
  private Latencies latencies = new Latencies();
  private double interval;

  /** A slot nobody uses. */
  private record Free(Connection connection, int slot) {}

  Load(int port, List<Exchange> exchanges) throws IOException {
    for (Exchange exchange : exchanges) {
      connections.add(new Connection(port, exchange));
    }
  }

  /** What was seen in a while. */
  record Seen(Latencies latencies, double seconds) {
    double perSecond() {
      return latencies.count() / seconds;
    }
  }

  /** Sends as fast as answers come. */
  Seen closed(long millis) throws IOException {
    return run(millis, CLOSED);
  }

  /** Sends so many a second. */
  Seen open(long millis, double perSecond) throws IOException {
    return run(millis, perSecond);
  }

  private Seen run(long millis, double perSecond) throws IOException {
    latencies = new Latencies();
    long start = System.nanoTime();
    long end = start + millis * 1_000_000;
    interval = perSecond == CLOSED ? 0 : 1e9 / perSecond;
    double next = start;
    for (long now = start; now < end; now = System.nanoTime()) {
      while (!free.isEmpty() && (interval == 0 || next <= now)) {
        Free slot = free.poll();
        slot.connection().send(slot.slot(), interval == 0 ? now : (long) next);
        next += interval;
      }
      if (interval == 0 || free.isEmpty()) {
        selector.select(1);
      } else {
        selector.selectNow();
      }
      for (SelectionKey key : selector.selectedKeys()) {
        ((Connection) key.attachment()).read();
      }
      selector.selectedKeys().clear();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    Seen seen = new Seen(latencies, seconds);
    latencies = new Latencies();
    drain();
    return seen;
  }

  /** Waits for the answers under way, so that the next run begins with none. */
  private void drain() throws IOException {
    int slots = connections.stream().mapToInt(c -> c.exchange.slots()).sum();
    long end = System.nanoTime() + 10_000_000_000L;
    while (free.size() < slots) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("answers are missing");
      }
      selector.select(1);
      for (SelectionKey key : selector.selectedKeys()) {
        ((Connection) key.attachment()).read();
      }
      selector.selectedKeys().clear();
    }
  }

  @Override
  public void close() throws IOException {
    for (Connection connection : connections) {
      connection.channel.close();
    }
    selector.close();
  }

  /** One connection and when its requests were due. */
  private final class Connection {
    private final SocketChannel channel;
    private final Exchange exchange;
    private final long[] dueAt;
    private final ByteBuffer in = ByteBuffer.allocate(BUFFER);

    Connection(int port, Exchange exchange) throws IOException {
      this.exchange = exchange;
      dueAt = new long[exchange.slots()];
      channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      write(ByteBuffer.wrap(exchange.opening()));
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, this);
      for (int slot = 0; slot < dueAt.length; slot++) {
        free.add(new Free(this, slot));
      }
    }

    void send(int slot, long at) throws IOException {
      dueAt[slot] = at;
      write(exchange.request(slot));
    }

    void read() throws IOException {
      if (channel.read(in) < 0) {
        throw new IOException("the server closed a connection");
      }
      in.flip();
      ByteBuffer back = exchange.received(in, this::answered);
      in.compact();
      if (back.hasRemaining()) {
        write(back);
      }
    }

    private void answered(int slot) {
      latencies.add(System.nanoTime() - dueAt[slot]);
      free.add(new Free(this, slot));
    }

    private void write(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        channel.write(bytes); // requests are short: the socket's buffer has room
      }
    }
  }
}
