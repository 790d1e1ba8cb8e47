package io.weir.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.spi.transport.Transport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of connections per listener and the time until the first request head is
 * complete, starting when a connection is accepted.
 *
 * <p>It is a Vert.x transport because Vert.x reports a connection only after the head of its first
 * request has arrived completely. Until then, a caller that sends a byte now and then (slowloris)
 * would be neither counted nor timed out.
 *
 * @param delegate the transport that does the work
 * @param maxConnections the maximum number of connections per listener
 * @param headerTimeout the time in which the head of a request must arrive
 */
record ConnectionLimiter(
    io.vertx.core.transport.Transport delegate, int maxConnections, Duration headerTimeout)
    implements io.vertx.core.transport.Transport {

  /** Creates one over the native transport if it is available, else over NIO. */
  static ConnectionLimiter of(int maxConnections, Duration headerTimeout) {
    io.vertx.core.transport.Transport nativeTransport =
        io.vertx.core.transport.Transport.nativeTransport();
    boolean isUsable = nativeTransport != null && nativeTransport.available();
    return new ConnectionLimiter(isUsable ? nativeTransport : NIO, maxConnections, headerTimeout);
  }

  @Override
  public String name() {
    return delegate.name();
  }

  @Override
  public boolean available() {
    return delegate.available();
  }

  @Override
  public @Nullable Throwable unavailabilityCause() {
    return delegate.unavailabilityCause();
  }

  /** The wrapped implementation, except that each server it configures gets an {@link Acceptor}. */
  @Override
  public Transport implementation() {
    Transport wrapped = delegate.implementation();
    return (Transport)
        Proxy.newProxyInstance(
            Transport.class.getClassLoader(),
            new Class<?>[] {Transport.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(wrapped, arguments);
                if (arguments != null
                    && arguments[arguments.length - 1] instanceof ServerBootstrap server) {
                  server.handler(new Acceptor());
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Handles new connections of one listener before any other handler. */
  @Sharable
  private final class Acceptor extends ChannelInboundHandlerAdapter {
    private final AtomicInteger connections = new AtomicInteger();

    @Override
    public void channelRead(ChannelHandlerContext server, Object accepted) {
      Channel channel = (Channel) accepted;
      if (connections.incrementAndGet() > maxConnections) {
        connections.decrementAndGet(); // forcibly closed channels do not notify their close future
        channel.unsafe().closeForcibly();
        return;
      }
      channel.closeFuture().addListener(closed -> connections.decrementAndGet());
      channel
          .pipeline()
          .addLast(HeaderTimeoutHandler.HANDLER_NAME, new HeaderTimeoutHandler(headerTimeout));
      server.fireChannelRead(channel);
    }
  }
}
