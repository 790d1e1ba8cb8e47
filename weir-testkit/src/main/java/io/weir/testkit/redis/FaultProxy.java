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
 * A TCP proxy on a free loopback port that does to connections what networks do.
 *
 * <p>Safe for use by several threads. Faults are for all connections, those open and those to come.
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

  /** A proxy to a loopback port, without faults. */
  public static FaultProxy to(int port) {
    try {
      FaultProxy proxy = new FaultProxy(port);
      Thread thread = new Thread(proxy::acceptClients, "fault-proxy-accept");
      thread.setDaemon(true);
      thread.start();
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException("no port for a proxy", e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  /**
   * Connects all clients to another backend under their open connections, which they do not see.
   */
  public synchronized void switchBackend(int port) {
    backendPort = port;
    openLinks.forEach(link -> link.switchBackend(port));
  }

  /** Holds every chunk towards the client that long, in order; zero for no longer. */
  public void delayReplies(Duration each) {
    faults.delayReplies(each);
  }

  /** Holds everything towards clients, until it is told not to any more. */
  public void holdReplies(boolean on) {
    faults.holdReplies(on);
  }

  /**
   * Closes, once, the connection that carries the last of that many further bytes towards a client,
   * right after it. With zero, the next reply is closed before its first byte.
   */
  public void cutAfter(long bytes) {
    faults.cutAfter(bytes);
  }

  /** Drops the next that many bytes towards clients, the connections staying open. */
  public void dropBytes(long bytes) {
    faults.dropBytes(bytes);
  }

  /** Sends a client these bytes, which nobody asked for, before the next that come for it. */
  public void insertBeforeReply(String bytes) {
    faults.insert(bytes.getBytes(ISO_8859_1), false);
  }

  /** Sends a client these bytes instead of the next that come for it at one time. */
  public void replaceReply(String bytes) {
    faults.insert(bytes.getBytes(ISO_8859_1), true);
  }

  /**
   * Swallows everything both ways, even that the backend ends; connections stay open, and new ones
   * are accepted. What was swallowed does not come back afterwards.
   */
  public void blackhole(boolean on) {
    faults.blackhole(on);
  }

  /**
   * Swallows everything both ways on the connections that are open now, which stay open, like a
   * gateway that has forgotten them. New ones are not affected.
   */
  public void blackholeOpenConnections() {
    openLinks.forEach(FaultyConnection::blackhole);
  }

  /** Closes all connections, and new ones as soon as they come. */
  public synchronized void refuseConnections(boolean on) {
    refusing = on;
    if (on) {
      openLinks.forEach(FaultyConnection::close);
    }
  }

  /** How many it has accepted so far, counting those it refused by closing them. */
  public synchronized int acceptedConnections() {
    return acceptedConnections;
  }

  /** How many are open now. */
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
