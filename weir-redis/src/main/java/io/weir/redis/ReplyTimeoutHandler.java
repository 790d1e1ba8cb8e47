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
 * Tracks the unanswered calls of one connection and fails them in two cases that the driver does
 * not handle:
 *
 * <p>When the oldest call stays unanswered for too long, it fails all calls and closes the
 * connection. The driver would fail that call alone and keep the connection, though the connection
 * may be silently dead, or bytes may be lost, so that later replies are taken for the rest of that
 * reply. Also, all calls sent meanwhile to a frozen server are charged when it continues. Time
 * during which this node itself did not run does not count: the check runs on the event loop of the
 * connection, after reading, and a late check counts as one on time.
 *
 * <p>When the connection is lost, it fails all calls. In a cluster, the driver would send them
 * again over the next connection, though they may have been charged.
 */
final class ReplyTimeoutHandler extends ChannelDuplexHandler {
  private static final int CHECKS_PER_TIMEOUT = 10;

  /* Replies arrive in the order of the calls. */
  private final ArrayDeque<RedisCommand<?, ?, ?>> unansweredCalls = new ArrayDeque<>();
  private final long checkIntervalMicros;
  private boolean checkScheduled;
  private @Nullable RedisCommand<?, ?, ?> oldestCall;
  private int checksWithoutReply;

  private ReplyTimeoutHandler(Duration timeout) {
    checkIntervalMicros = timeout.toNanos() / 1000 / CHECKS_PER_TIMEOUT;
  }

  /**
   * Adds a handler to every connection that a driver opens.
   *
   * @param timeout how long a call may stay unanswered
   * @param loops receives the event loop of each connection
   */
  static NettyCustomizer customizer(Duration timeout, Consumer<EventLoop> loops) {
    return new NettyCustomizer() {
      @Override
      public void afterChannelInitialized(Channel channel) {
        ChannelPipeline pipeline = channel.pipeline();
        // before the driver, so that this handler sees the end of the connection first
        String driver = pipeline.context(CommandHandler.class).name();
        pipeline.addBefore(driver, "unanswered", new ReplyTimeoutHandler(timeout));
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
    failAll(new RedisException("the connection was lost"));
    from.fireChannelInactive();
  }

  private void failAll(RedisException reason) {
    ArrayDeque<RedisCommand<?, ?, ?>> all = new ArrayDeque<>(unansweredCalls);
    unansweredCalls.clear();
    all.forEach(call -> call.completeExceptionally(reason));
  }
}
