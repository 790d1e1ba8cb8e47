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
import io.weir.server.web.IdleHold;
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
final class HeadWatch extends ChannelInboundHandlerAdapter {
  static final String NAME = "head-watch";
  private static final String DECODER = "httpDecoder"; // as Vert.x calls it

  private final Duration patience;
  private boolean between;
  private boolean came;
  private @Nullable ScheduledFuture<?> end;

  HeadWatch(Duration patience) {
    this.patience = patience;
  }

  /** Goes on behind the decoder of a connection that speaks HTTP/1; of HTTP/2, ends. */
  static void connected(HttpConnection connection) {
    Channel channel = ((ConnectionBase) connection).channel();
    IdleHold.install(channel);
    ChannelPipeline pipeline = channel.pipeline();
    HeadWatch first = (HeadWatch) pipeline.remove(NAME);
    if (pipeline.get(DECODER) != null) {
      HeadWatch next = new HeadWatch(first.patience);
      pipeline.addAfter(DECODER, NAME, next);
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
    between = read instanceof LastHttpContent; // never of a WebSocket, which is bytes
    if (read instanceof HttpObject) {
      came = true;
      disarm();
    }
    context.fireChannelRead(read);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    if (between && !came && end == null) {
      arm(context); // bytes came, and are no whole head yet
    }
    came = false;
    context.fireChannelReadComplete();
  }

  private void arm(ChannelHandlerContext context) {
    end =
        context
            .executor()
            .schedule(
                () -> {
                  var unused = context.close();
                },
                patience.toMillis(),
                TimeUnit.MILLISECONDS);
  }

  private void disarm() {
    if (end != null) {
      end.cancel(false);
      end = null;
    }
  }
}
