package io.weir.gateway;

import io.netty.channel.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.TooManyLimitsException;
import io.weir.web.DecisionHandler;
import io.weir.web.IdleTimeoutSuppressor;
import java.util.concurrent.CompletableFuture;

/**
 * Connects the two sides of a WebSocket and decides on the caller's messages if a rule limits them.
 * A refused message closes the WebSocket (1008) before any part of it reaches the upstream.
 */
final class WebSocketBridge {
  private static final int POLICY_VIOLATION = 1008;
  private static final int MAX_RULE_NAME_LENGTH = 100;
  private static final long CLOSE_GRACE_MILLIS = 2_000;

  private final Vertx vertx;
  private final WebSocketMessageRules rules;
  private final Limiter limiter;

  WebSocketBridge(Vertx vertx, WebSocketMessageRules rules, Limiter limiter) {
    this.vertx = vertx;
    this.rules = rules;
    this.limiter = limiter;
  }

  void join(ProxiedRequest proxied, NetSocket caller, NetSocket upstream) {
    WebSocketRelay toCaller = new WebSocketRelay(upstream, caller, null);
    WebSocketRelay toUpstream =
        new WebSocketRelay(
            caller, upstream, new LimiterMessageAdmission(proxied, caller, upstream, toCaller));
    caller.closeHandler(v -> onCallerClosed(proxied, upstream));
    upstream.closeHandler(v -> caller.close());
    caller.exceptionHandler(e -> caller.close());
    upstream.exceptionHandler(e -> upstream.close());
    toUpstream.start();
    toCaller.start();
  }

  /** Decides on the messages of one caller, by the rules in force when each message arrives. */
  private final class LimiterMessageAdmission implements WebSocketRelay.MessageAdmission {
    private final ProxiedRequest proxied;
    private final Request message;
    private final NetSocket caller;
    private final NetSocket upstream;
    private final WebSocketRelay toCaller;

    LimiterMessageAdmission(
        ProxiedRequest proxied, NetSocket caller, NetSocket upstream, WebSocketRelay toCaller) {
      this.proxied = proxied;
      this.message = proxied.call().withMethod(WebSocketMessageRules.MESSAGE_METHOD).request();
      this.caller = caller;
      this.upstream = upstream;
      this.toCaller = toCaller;
    }

    @Override
    public boolean isRequired() {
      return !rules.isEmpty();
    }

    @Override
    public void requestAdmission(Runnable onAdmitted) {
      CompletableFuture<Decision> pending;
      try {
        pending = limiter.decide(message);
      } catch (TooManyLimitsException e) {
        vertx.runOnContext(
            v -> closeBothSides(caller, upstream, toCaller, "too many limits apply"));
        return;
      }
      DecisionHandler.thenOnEventLoop(
          pending,
          decision -> {
            if (!decision.allowed()) {
              String reason = "refused by " + truncated(decision.rule().orElse(""));
              vertx.runOnContext(v -> closeBothSides(caller, upstream, toCaller, reason));
            } else if (decision.delay().isZero()) {
              onAdmitted.run();
            } else {
              Channel channel = ((NetSocketInternal) caller).channelHandlerContext().channel();
              IdleTimeoutSuppressor.suspend(channel);
              long timer =
                  vertx.setTimer(
                      DelayedRequests.toTimerMillis(decision.delay()),
                      t -> {
                        IdleTimeoutSuppressor.resume(channel);
                        onAdmitted.run();
                      });
              caller.closeHandler(v -> onCallerClosed(timer, decision, proxied, upstream));
            }
          });
    }
  }

  /** Called when the caller has left; refunds a delayed message. */
  private void onCallerClosed(
      long timer, Decision decision, ProxiedRequest proxied, NetSocket upstream) {
    if (vertx.cancelTimer(timer)) {
      var unused = limiter.refund(decision);
    }
    onCallerClosed(proxied, upstream);
  }

  private static void onCallerClosed(ProxiedRequest proxied, NetSocket upstream) {
    upstream.close();
    proxied.end();
  }

  private static String truncated(String rule) {
    return rule.substring(0, Math.min(rule.length(), MAX_RULE_NAME_LENGTH));
  }

  /** Closes both sides in order; responses to earlier messages still reach the caller. */
  private void closeBothSides(
      NetSocket caller, NetSocket upstream, WebSocketRelay toCaller, String reason) {
    var unused = upstream.write(WebSocketFrameParser.closeFrame(POLICY_VIOLATION, reason, true));
    toCaller.endBeforeClose(
        () -> caller.write(WebSocketFrameParser.closeFrame(POLICY_VIOLATION, reason, false)));
    upstream.closeHandler(v -> toCaller.stop());
    caller.handler(discarded -> {}).resume();
    vertx.setTimer(CLOSE_GRACE_MILLIS, t -> toCaller.stop());
    vertx.setTimer(2 * CLOSE_GRACE_MILLIS, t -> caller.close());
  }
}
