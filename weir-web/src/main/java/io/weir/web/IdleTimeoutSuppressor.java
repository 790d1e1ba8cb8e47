package io.weir.web;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;

/**
 * Netty handler that suspends the idle timeout of a connection while a request on it is delayed. A
 * request that a leaky bucket delays is silent on purpose, for as long as its rule says.
 *
 * <p>Not thread-safe: used only on the event loop of its connection.
 */
public final class IdleTimeoutSuppressor extends ChannelInboundHandlerAdapter {
  private int suspensions;

  private IdleTimeoutSuppressor() {}

  /** Adds the handler to the pipeline of a connection that has an idle timeout. */
  public static void install(Channel channel) {
    ChannelHandlerContext idle = channel.pipeline().context(IdleStateHandler.class);
    if (idle != null) {
      channel
          .pipeline()
          .addAfter(idle.name(), "idle-timeout-suppressor", new IdleTimeoutSuppressor());
    }
  }

  /** Suspends the idle timeout until {@link #resume} has been called as often. */
  public static void suspend(Channel channel) {
    adjust(channel, 1);
  }

  public static void resume(Channel channel) {
    adjust(channel, -1);
  }

  private static void adjust(Channel channel, int delta) {
    IdleTimeoutSuppressor handler = channel.pipeline().get(IdleTimeoutSuppressor.class);
    if (handler != null) {
      handler.suspensions += delta;
    }
  }

  /** Drops idle events while suspended; Netty fires another after the next timeout. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (suspensions <= 0 || !(event instanceof IdleStateEvent)) {
      context.fireUserEventTriggered(event);
    }
  }
}
