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
import io.weir.server.web.IdleTimeoutSuppressor;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection on which the head of a request does not come whole in time, however its bytes
 * trickle in.
 *
 * <p>It waits for the first head from the moment the connection is accepted, for others from their
 * first byte: between requests a connection may be idle.
 */
final class HeaderTimeoutHandler extends ChannelInboundHandlerAdapter {
  static final String HANDLER_NAME = "head-watch";
  private static final String VERTX_DECODER_NAME = "httpDecoder"; // as Vert.x calls it

  private final Duration timeout;
  private boolean betweenRequests;
  private boolean headArrived;
  private @Nullable ScheduledFuture<?> closeTimer;

  HeaderTimeoutHandler(Duration patience) {
    this.timeout = patience;
  }

  /** Goes on behind the decoder of a connection that speaks HTTP/1; of HTTP/2, ends. */
  static void onConnected(HttpConnection connection) {
    Channel channel = ((ConnectionBase) connection).channel();
    IdleTimeoutSuppressor.install(channel);
    ChannelPipeline pipeline = channel.pipeline();
    HeaderTimeoutHandler first = (HeaderTimeoutHandler) pipeline.remove(HANDLER_NAME);
    if (pipeline.get(VERTX_DECODER_NAME) != null) {
      HeaderTimeoutHandler next = new HeaderTimeoutHandler(first.timeout);
      pipeline.addAfter(VERTX_DECODER_NAME, HANDLER_NAME, next);
      if (!connection.isSsl()) { // else it is known before its first request
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
  public void channelRead(ChannelHandlerContext context, Object read) {
    betweenRequests = read instanceof LastHttpContent; // never of a WebSocket, which is bytes
    if (read instanceof HttpObject) {
      headArrived = true;
      disarm();
    }
    context.fireChannelRead(read);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (betweenRequests && !headArrived && closeTimer == null) {
      arm(context); // bytes came, and are no whole head yet
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
