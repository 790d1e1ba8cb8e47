package io.weir.server.web;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;

/**
 * Keeps a connection from being closed as idle while something on it waits for its turn: a request
 * that a leaky bucket delays is silent on purpose, for as long as its rule says.
 *
 * <p>Used on the event loop of its connection only.
 */
public final class IdleTimeoutSuppressor extends ChannelInboundHandlerAdapter {
  private int suspensions;

  private IdleTimeoutSuppressor() {}

  /** Adds a hold to the pipeline of a connection that has an idle timeout. */
  public static void install(Channel channel) {
    ChannelHandlerContext idle = channel.pipeline().context(IdleStateHandler.class);
    if (idle != null) {
      channel.pipeline().addAfter(idle.name(), "idle-hold", new IdleTimeoutSuppressor());
    }
  }

  /** From now on the connection is not idle, until {@link #resume} is called as often. */
  public static void suspend(Channel channel) {
    adjust(channel, 1);
  }

  public static void resume(Channel channel) {
    adjust(channel, -1);
  }

  private static void adjust(Channel channel, int by) {
    IdleTimeoutSuppressor hold = channel.pipeline().get(IdleTimeoutSuppressor.class);
    if (hold != null) {
      hold.suspensions += by;
    }
  }

  /** Drops the event while the connection is held; it comes again after another timeout. */
  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (suspensions <= 0 || !(event instanceof IdleStateEvent)) {
      context.fireUserEventTriggered(event);
    }
  }
}
