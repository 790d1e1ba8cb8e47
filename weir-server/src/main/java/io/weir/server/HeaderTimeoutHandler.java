package io.weir.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.web.IdleTimeoutSuppressor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Netty handler that closes a connection if the head of a request does not arrive completely in
 * time, even if single bytes keep arriving.
 *
 * <p>The timeout of the first request starts when the connection is accepted. For later requests it
 * starts with their first byte, since a connection may be idle between requests.
 */
final class HeaderTimeoutHandler extends ChannelInboundHandlerAdapter {
  static final String HANDLER_NAME = "header-timeout";
  private static final String VERTX_DECODER_NAME =
      "httpDecoder"; // the name of Vert.x's HTTP/1 decoder

  private final Duration timeout;
  private boolean betweenRequests;
  private boolean headArrived;
  private @Nullable ScheduledFuture<?> closeTimer;

  HeaderTimeoutHandler(Duration timeout) {
    this.timeout = timeout;
  }

  /**
   * Called when Vert.x has accepted a connection. Moves the handler behind the decoder of an HTTP/1
   * connection, to time later requests; removes it from an HTTP/2 connection.
   */
  static void onConnected(HttpConnection connection) {
    Channel channel = ((ConnectionBase) connection).channel();
    IdleTimeoutSuppressor.install(channel);
    ChannelPipeline pipeline = channel.pipeline();
    HeaderTimeoutHandler first = (HeaderTimeoutHandler) pipeline.remove(HANDLER_NAME);
    if (pipeline.get(VERTX_DECODER_NAME) != null) {
      HeaderTimeoutHandler next = new HeaderTimeoutHandler(first.timeout);
      pipeline.addAfter(VERTX_DECODER_NAME, HANDLER_NAME, next);
      if (!connection.isSsl()) { // over TLS, Vert.x reports a connection before its first request
        next.disarm();
      }
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    arm(context);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    disarm();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    disarm();
    context.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    betweenRequests = message instanceof LastHttpContent; // false for the raw bytes of a WebSocket
    if (message instanceof HttpObject) {
      headArrived = true;
      disarm();
    }
    context.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (betweenRequests && !headArrived && closeTimer == null) {
      arm(context); // bytes arrived that do not complete a request head yet
    }
    headArrived = false;
    context.fireChannelReadComplete();
  }

  private void arm(ChannelHandlerContext context) {
    closeTimer =
        context
            .executor()
            .schedule(
                () -> {
                  var unused = context.close();
                },
                timeout.toMillis(),
                TimeUnit.MILLISECONDS);
  }

  private void disarm() {
    if (closeTimer != null) {
      closeTimer.cancel(false);
      closeTimer = null;
    }
  }
}
