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
 * Where connections stand from the moment they are accepted: they are counted, up to a bound for
 * each door, and have so long to bring a first request.
 *
 * <p>It is a transport because Vert.x tells of a connection only when the head of its first request
 * has come whole: until then a caller that sends a byte now and then would be seen by nobody.
 *
 * @param maxConnections to each door
 * @param headerTimeout for the head of a request
 */
record ConnectionLimiter(
    io.vertx.core.transport.Transport delegate, int maxConnections, Duration headerTimeout)
    implements io.vertx.core.transport.Transport {

  /** On what the system has fastest. */
  static ConnectionLimiter of(int maxConnections, Duration patience) {
    io.vertx.core.transport.Transport fast = io.vertx.core.transport.Transport.nativeTransport();
    boolean use = fast != null && fast.available();
    return new ConnectionLimiter(use ? fast : NIO, maxConnections, patience);
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

  /** The real one, but for what it makes of a server that is about to listen. */
  @Override
  public Transport implementation() {
    Transport behind = delegate.implementation();
    return (Transport)
        Proxy.newProxyInstance(
            Transport.class.getClassLoader(),
            new Class<?>[] {Transport.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(behind, arguments);
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

  /** Sees the connections of one door before anybody else. */
  @Sharable
  private final class Acceptor extends ChannelInboundHandlerAdapter {
    private final AtomicInteger connections = new AtomicInteger();

    @Override
    public void channelRead(ChannelHandlerContext server, Object accepted) {
      Channel channel = (Channel) accepted;
      if (connections.incrementAndGet() > maxConnections) {
        connections.decrementAndGet(); // here, for what is closed so never says that it is
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
