package io.weir.bench.server;

import io.weir.bench.report.LatencyHistogram;
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
 * A load generator for one port on one thread: closed loop, where each response triggers the next
 * request, or open loop, where requests are sent at a fixed rate and each latency counts from the
 * time its request was due.
 */
final class ConnectionLoad implements AutoCloseable {
  private static final int NO_RATE = 0;
  private static final long MAX_MILLIS = 60_000;
  private static final int BUFFER_BYTES = 1 << 17;

  private final Selector selector = Selector.open();
  private final List<LoadConnection> connections = new ArrayList<>();
  private final Deque<FreeSlot> freeSlots = new ArrayDeque<>();
  private LatencyHistogram latencies = new LatencyHistogram();
  private double intervalNanos;

  /** A slot without a request. */
  private record FreeSlot(LoadConnection connection, int slot) {}

  ConnectionLoad(int port, List<ClientProtocol> exchanges) throws IOException {
    for (ClientProtocol exchange : exchanges) {
      connections.add(new LoadConnection(port, exchange));
    }
  }

  /** The latencies and the duration of one run. */
  record LoadMeasurement(LatencyHistogram latencies, double seconds) {
    double perSecond() {
      return latencies.count() / seconds;
    }
  }

  /** Sends a request for each response (closed loop). */
  LoadMeasurement runClosedLoop(long millis) throws IOException {
    return run(millis, NO_RATE, Long.MAX_VALUE);
  }

  /** Sends a request for each response until this number of responses has come. */
  LatencyHistogram runRequests(long count) throws IOException {
    return run(MAX_MILLIS, NO_RATE, count).latencies();
  }

  /** Sends requests at a fixed rate (open loop). */
  LoadMeasurement runOpenLoop(long millis, double perSecond) throws IOException {
    return run(millis, perSecond, Long.MAX_VALUE);
  }

  private LoadMeasurement run(long millis, double perSecond, long maxCount) throws IOException {
    latencies = new LatencyHistogram();
    long start = System.nanoTime();
    long end = start + millis * 1_000_000;
    intervalNanos = perSecond == NO_RATE ? 0 : 1e9 / perSecond;
    double next = start;
    for (long now = start; now < end && latencies.count() < maxCount; now = System.nanoTime()) {
      while (!freeSlots.isEmpty() && (intervalNanos == 0 || next <= now)) {
        FreeSlot slot = freeSlots.poll();
        slot.connection().send(slot.slot(), intervalNanos == 0 ? now : (long) next);
        next += intervalNanos;
      }
      if (intervalNanos == 0 || freeSlots.isEmpty()) {
        selector.select(1);
      } else {
        selector.selectNow();
      }
      for (SelectionKey key : selector.selectedKeys()) {
        ((LoadConnection) key.attachment()).read();
      }
      selector.selectedKeys().clear();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    LoadMeasurement seen = new LoadMeasurement(latencies, seconds);
    latencies = new LatencyHistogram();
    drain();
    return seen;
  }

  /** Waits for responses in flight, so that the next run starts with none. */
  private void drain() throws IOException {
    int slots = connections.stream().mapToInt(c -> c.exchange.maxInFlight()).sum();
    long end = System.nanoTime() + 10_000_000_000L;
    while (freeSlots.size() < slots) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("responses are missing");
      }
      selector.select(1);
      for (SelectionKey key : selector.selectedKeys()) {
        ((LoadConnection) key.attachment()).read();
      }
      selector.selectedKeys().clear();
    }
  }

  @Override
  public void close() throws IOException {
    for (LoadConnection connection : connections) {
      connection.channel.close();
    }
    selector.close();
  }

  /** A connection and the times at which its requests were due. */
  private final class LoadConnection {
    private final SocketChannel channel;
    private final ClientProtocol exchange;
    private final long[] dueNanos;
    private final ByteBuffer in = ByteBuffer.allocate(BUFFER_BYTES);

    LoadConnection(int port, ClientProtocol exchange) throws IOException {
      this.exchange = exchange;
      dueNanos = new long[exchange.maxInFlight()];
      channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      write(ByteBuffer.wrap(exchange.connectionPreface()));
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, this);
      for (int slot = 0; slot < dueNanos.length; slot++) {
        freeSlots.add(new FreeSlot(this, slot));
      }
    }

    void send(int slot, long at) throws IOException {
      dueNanos[slot] = at;
      write(exchange.encodeRequest(slot));
    }

    void read() throws IOException {
      if (channel.read(in) < 0) {
        throw new IOException("the server closed a connection");
      }
      in.flip();
      ByteBuffer back = exchange.onBytesReceived(in, this::onAnswer);
      in.compact();
      if (back.hasRemaining()) {
        write(back);
      }
    }

    private void onAnswer(int slot) {
      latencies.add(System.nanoTime() - dueNanos[slot]);
      freeSlots.add(new FreeSlot(this, slot));
    }

    private void write(ByteBuffer bytes) throws IOException {
      while (bytes.hasRemaining()) {
        channel.write(bytes); // requests are short and fit into the socket buffer
      }
    }
  }
}
