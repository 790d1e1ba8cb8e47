package io.weir.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What was sent over one connection and is not answered yet. Does what the driver does not:
 *
 * <p>When the oldest call stays unanswered for too long, it fails them all and closes the
 * connection. The driver would fail that call alone and go on to wait, though the connection may be
 * dead without anybody saying so, or bytes be lost, so that what follows is taken for the rest of
 * that reply; and whatever is sent meanwhile to a server that stands still is charged when it goes
 * on. Time for which this node itself did not run does not count: the check runs on the event loop
 * of the connection, after reading, and a check that comes late counts as one on time.
 *
 * <p>When the connection is gone, it fails them all. The driver would send them again over the next
 * one to a node of a cluster, and they may have been charged.
 */
final class ReplyTimeoutHandler extends ChannelDuplexHandler {
  private static final int CHECKS_PER_TIMEOUT = 10;

  /* Replies come in the order of the calls. */
  private final ArrayDeque<RedisCommand<?, ?, ?>> unansweredCalls = new ArrayDeque<>();
  private final long checkIntervalMicros;
  private boolean checkScheduled;
  private @Nullable RedisCommand<?, ?, ?> oldestCall;
  private int checksWithoutReply;

  private ReplyTimeoutHandler(Duration patience) {
    checkIntervalMicros = patience.toNanos() / 1000 / CHECKS_PER_TIMEOUT;
  }

  /**
   * Puts one into every connection that a driver makes.
   *
   * @param patience for how long a call may stay unanswered
   * @param loops hears on which event loop each connection is read
   */
  static NettyCustomizer customizer(Duration patience, Consumer<EventLoop> loops) {
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        ChannelPipeline pipeline = channel.pipeline();
        // so that it hears of the end before the driver does
        String driver = pipeline.context(CommandHandler.class).name();
        pipeline.addBefore(driver, "unanswered", new ReplyTimeoutHandler(patience));
        loops.accept(channel.eventLoop());
      }
    };
  }

  @Override
  public void write(ChannelHandlerContext to, Object message, ChannelPromise promise) {
    removeAnswered();
    if (message instanceof Collection<?> several) {
      several.forEach(this::add);
    } else {
      add(message);
    }
    if (!checkScheduled && !unansweredCalls.isEmpty()) {
      checkScheduled = true;
      scheduleCheck(to);
    }
    var unused = to.write(message, promise);
  }

  private void add(Object message) {
    if (message instanceof RedisCommand<?, ?, ?> call) {
      unansweredCalls.add(call);
    }
  }

  private void removeAnswered() {
    while (!unansweredCalls.isEmpty() && unansweredCalls.element().isDone()) {
      unansweredCalls.remove();
    }
  }

  private void scheduleCheck(ChannelHandlerContext context) {
    var unused =
        context
            .executor()
            .schedule(() -> checkOldest(context), checkIntervalMicros, TimeUnit.MICROSECONDS);
  }

  private void checkOldest(ChannelHandlerContext context) {
    removeAnswered();
    RedisCommand<?, ?, ?> first = unansweredCalls.peek();
    checksWithoutReply = first != null && first == oldestCall ? checksWithoutReply + 1 : 0;
    oldestCall = first;
    if (first == null) {
      checkScheduled = false;
    } else if (checksWithoutReply < CHECKS_PER_TIMEOUT) {
      scheduleCheck(context);
    } else {
      failAll(new RedisCommandTimeoutException("no reply"));
      var unused = context.close();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext from) {
    failAll(new RedisException("the connection broke"));
    from.fireChannelInactive();
  }

  private void failAll(RedisException reason) {
    ArrayDeque<RedisCommand<?, ?, ?>> all = new ArrayDeque<>(unansweredCalls);
    unansweredCalls.clear();
    all.forEach(call -> call.completeExceptionally(reason));
  }
}
