package io.weir.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.Collection;

/**
 * Closes a connection over which something was asked and not answered in time.
 *
 * <p>The driver alone would keep it: it fails the call and waits on. But an answer that is this
 * late may never come, as the way may be dead without anybody saying so, or bytes may be lost and
 * what follows be taken for the rest of it. And whatever is sent meanwhile to a server that stands
 * still is charged when it goes on, so nothing more may be.
 */
@ChannelHandler.Sharable
final class Silence extends ChannelOutboundHandlerAdapter implements NettyCustomizer {

  @Override
  public void afterChannelInitialized(Channel channel) {
    channel.pipeline().addLast(this);
  }

  @Override
  public void write(ChannelHandlerContext to, Object message, ChannelPromise promise) {
    if (message instanceof Collection<?> several) {
      several.forEach(one -> watch(one, to.channel()));
    } else {
      watch(message, to.channel());
    }
    var unused = to.write(message, promise);
  }

  private static void watch(Object message, Channel channel) {
    if (message instanceof CompleteableCommand<?> question) {
      question.onComplete(
          (answer, failure) -> {
            if (failure instanceof RedisCommandTimeoutException) {
              var unused = channel.close();
            }
          });
    }
  }
}
