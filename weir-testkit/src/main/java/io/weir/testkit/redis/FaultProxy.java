package io.weir.testkit.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy on a free loopback port that injects network faults.
 *
 * <p>Safe for use by several threads. Faults apply to all connections, both open and future ones.
 */
public final class FaultProxy implements AutoCloseable {
  private final ServerSocket server;
  private final InjectedFaults faults = new InjectedFaults();
  private final Set<FaultyConnection> openLinks = ConcurrentHashMap.newKeySet();
  private int backendPort;
  private int acceptedConnections;
  private boolean refusing;

  private FaultProxy(int backend) throws IOException {
    this.backendPort = backend;
    server = new ServerSocket(0, 0, InetAddress.getLoopbackAddress());
  }

  /** Starts a proxy to a loopback port, without faults. */
  public static FaultProxy to(int port) {
    try {
      FaultProxy proxy = new FaultProxy(port);
      Thread thread = new Thread(proxy::acceptClients, "fault-proxy-accept");
      thread.setDaemon(true);
      thread.start();
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot open a port for the proxy", e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Switches all clients to another backend; their connections stay open. */
  public synchronized void switchBackend(int port) {
    backendPort = port;
    openLinks.forEach(link -> link.switchBackend(port));
  }

  /** Delays everything sent to clients by that time, in order; zero ends the delay. */
  public void delayReplies(Duration delay) {
    faults.delayReplies(delay);
  }

  /** Holds back everything sent to clients until called with false. */
  public void holdReplies(boolean enabled) {
    faults.holdReplies(enabled);
  }

  /**
   * Closes one connection after that many further bytes to clients: the one that carries the last
   * of them, right after it. With zero, a connection is closed before the first byte of the next
   * reply.
   */
  public void cutAfter(long bytes) {
    faults.cutAfter(bytes);
  }

  /** Drops the next bytes sent to clients; the connections stay open. */
  public void dropBytes(long bytes) {
    faults.dropBytes(bytes);
  }

  /** Sends a client unsolicited bytes before the next ones sent to it. */
  public void insertBeforeReply(String bytes) {
    faults.insert(bytes.getBytes(ISO_8859_1), false);
  }

  /** Sends a client these bytes instead of the next chunk sent to it. */
  public void replaceReply(String bytes) {
    faults.insert(bytes.getBytes(ISO_8859_1), true);
  }

  /**
   * Drops everything in both directions, including the end of the backend's connection. Connections
   * stay open, and new ones are accepted. Dropped bytes are not delivered later.
   */
  public void blackhole(boolean enabled) {
    faults.blackhole(enabled);
  }

  /**
   * Drops everything in both directions on the connections that are open now; they stay open, as
   * behind a NAT gateway that has lost its state. New connections are not affected.
   */
  public void blackholeOpenConnections() {
    openLinks.forEach(FaultyConnection::blackhole);
  }

  /** Closes all connections, and new ones as soon as they are accepted. */
  public synchronized void refuseConnections(boolean enabled) {
    refusing = enabled;
    if (enabled) {
      openLinks.forEach(FaultyConnection::close);
    }
  }

  /** Returns how many connections were accepted so far, including those refused by closing. */
  public synchronized int acceptedConnections() {
    return acceptedConnections;
  }

  /** Returns how many connections are open now. */
  public int openConnections() {
    return openLinks.size();
  }

  @Override
  public void close() {
    refuseConnections(true);
    holdReplies(false);
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void acceptClients() {
    try {
      while (!server.isClosed()) {
        addClient(server.accept());
      }
    } catch (IOException e) {
      close();
    }
  }

  private synchronized void addClient(Socket client) {
    acceptedConnections++;
    FaultyConnection link = new FaultyConnection(client, faults, openLinks::remove);
    if (refusing) {
      link.close();
    } else {
      openLinks.add(link);
      link.open(backendPort);
    }
  }
}
