package io.weir.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import java.util.ArrayDeque;
import java.util.Collection;

/**
 * What was sent over one connection and is not answered yet. Does what the driver does not:
 *
 * <p>When an answer is overdue, it closes the connection. The driver fails the call and goes on to
 * wait, though the way may be dead without anybody saying so, or bytes be lost, so that what
 * follows is taken for the rest of that answer; and whatever is sent meanwhile to a server that
 * stands still is charged when it goes on.
 *
 * <p>When the connection is gone, it fails them all. The driver would send them again over the next
 * one to a node of a cluster, and they may have been charged.
 */
final class Unanswered extends ChannelDuplexHandler {
  /* Answers come in the order of the calls. */
  private final ArrayDeque<RedisCommand<?, ?, ?>> calls = new ArrayDeque<>();

  /** Watches over every connection that a driver makes. */
  static NettyCustomizer watch() {
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        ChannelPipeline pipeline = channel.pipeline();
        // so that it hears of the end before the driver does
        String driver = pipeline.context(CommandHandler.class).name();
        pipeline.addBefore(driver, "unanswered", new Unanswered());
      }
    };
  }

  @Override
  public void write(ChannelHandlerContext to, Object message, ChannelPromise promise) {
    while (!calls.isEmpty() && calls.element().isDone()) {
      calls.remove();
    }
    if (message instanceof Collection<?> several) {
      several.forEach(one -> note(one, to.channel()));
    } else {
      note(message, to.channel());
    }
    var unused = to.write(message, promise);
  }

  private void note(Object message, Channel channel) {
    if (message instanceof RedisCommand<?, ?, ?> call) {
      calls.add(call);
    }
    if (message instanceof CompleteableCommand<?> call) {
      call.onComplete(
          (answer, failure) -> {
            if (failure instanceof RedisCommandTimeoutException) {
              var unused = channel.close();
            }
          });
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    calls.forEach(call -> call.completeExceptionally(new RedisException("the connection broke")));
    calls.clear();
    from.fireChannelInactive();
  }
}
