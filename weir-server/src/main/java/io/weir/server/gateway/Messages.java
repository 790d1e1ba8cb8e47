package io.weir.server.gateway;

import io.netty.channel.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.TooManyLimitsException;
import io.weir.server.web.Desk;
import io.weir.server.web.IdleHold;
import java.util.concurrent.CompletableFuture;

/**
 * Joins the two ends of a WebSocket, and decides on the caller's messages where a rule names them.
 * One that is refused ends the WebSocket (1008), before the upstream has seen any of it.
 */
final class Messages {
  private static final int POLICY_VIOLATION = 1008;
  private static final int LONGEST_NAME = 100;
  private static final long LAST_WORDS_MILLIS = 2_000;

  private final Vertx vertx;
  private final MessageRules rules;
  private final Limiter limiter;

  Messages(Vertx vertx, MessageRules rules, Limiter limiter) {
    this.vertx = vertx;
    this.rules = rules;
    this.limiter = limiter;
  }

  void join(Visit visit, NetSocket caller, NetSocket upstream) {
    Relay down = new Relay(upstream, caller, null);
    Relay up = new Relay(caller, upstream, new MessageTurnstile(visit, caller, upstream, down));
    caller.closeHandler(v -> upstream.close());
    upstream.closeHandler(v -> caller.close());
    caller.exceptionHandler(e -> caller.close());
    upstream.exceptionHandler(e -> upstream.close());
    up.begin();
    down.begin();
  }

  /** Decides on the messages of one caller, by the rules in force when each of them arrives. */
  private final class MessageTurnstile implements Relay.Turnstile {
    private final Request message;
    private final NetSocket caller;
    private final NetSocket upstream;
    private final Relay down;

    MessageTurnstile(Visit visit, NetSocket caller, NetSocket upstream, Relay down) {
      this.message = visit.call().withMethod(MessageRules.METHOD).request();
      this.caller = caller;
      this.upstream = upstream;
      this.down = down;
    }

    @Override
    public boolean isNeeded() {
      return !rules.isEmpty();
    }

    @Override
    public void ask(Runnable pass) {
      CompletableFuture<Decision> asked;
      try {
        asked = limiter.decide(message);
      } catch (TooManyLimitsException e) {
        vertx.runOnContext(v -> end(caller, upstream, down, "too many limits apply"));
        return;
      }
      Desk.then(
          asked,
          decision -> {
            if (!decision.allowed()) {
              String reason = "refused by " + shortened(decision.rule().orElse(""));
              vertx.runOnContext(v -> end(caller, upstream, down, reason));
            } else if (decision.delay().isZero()) {
              pass.run();
            } else {
              Channel channel = ((NetSocketInternal) caller).channelHandlerContext().channel();
              IdleHold.hold(channel);
              long timer =
                  vertx.setTimer(
                      Waiting.millis(decision.delay()),
                      t -> {
                        IdleHold.release(channel);
                        pass.run();
                      });
              caller.closeHandler(v -> gone(timer, decision, upstream));
            }
          });
    }
  }

  /** The caller has left; a message that was held gives its place back. */
  private void gone(long timer, Decision decision, NetSocket upstream) {
    if (vertx.cancelTimer(timer)) {
      var unused = limiter.refund(decision);
    }
    upstream.close();
  }

  private static String shortened(String rule) {
    return rule.substring(0, Math.min(rule.length(), LONGEST_NAME));
  }

  /** Ends it in order: what the upstream still answers to earlier messages is heard. */
  private void end(NetSocket caller, NetSocket upstream, Relay down, String reason) {
    var unused = upstream.write(Frames.close(POLICY_VIOLATION, reason, true));
    down.endWith(() -> caller.write(Frames.close(POLICY_VIOLATION, reason, false)));
    upstream.closeHandler(v -> down.stop());
    caller.handler(dropped -> {}).resume();
    vertx.setTimer(LAST_WORDS_MILLIS, t -> down.stop());
    vertx.setTimer(2 * LAST_WORDS_MILLIS, t -> caller.close());
  }
}
