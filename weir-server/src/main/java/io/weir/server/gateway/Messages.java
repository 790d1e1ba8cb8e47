package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import io.weir.Decision;
import io.weir.Limiter;
import io.weir.Request;
import io.weir.server.web.Desk;
import org.jspecify.annotations.Nullable;

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
    Relay.@Nullable Turnstile turnstile =
        rules.isEmpty() ? null : turnstile(visit, caller, upstream, down);
    Relay up = new Relay(caller, upstream, turnstile);
    caller.closeHandler(v -> upstream.close());
    upstream.closeHandler(v -> caller.close());
    caller.exceptionHandler(e -> caller.close());
    upstream.exceptionHandler(e -> upstream.close());
    up.begin();
    down.begin();
  }

  private Relay.Turnstile turnstile(Visit visit, NetSocket caller, NetSocket upstream, Relay down) {
    Request message = visit.call().withMethod(MessageRules.METHOD).request();
    return pass ->
        Desk.then(
            limiter.decide(message),
            decision -> {
              if (!decision.allowed()) {
                vertx.runOnContext(v -> end(caller, upstream, down, decision));
              } else if (decision.delay().isZero()) {
                pass.run();
              } else {
                long timer = vertx.setTimer(Waiting.millis(decision.delay()), t -> pass.run());
                caller.closeHandler(v -> gone(timer, message, upstream));
              }
            });
  }

  /** The caller has left; a message that was held gives its place back. */
  private void gone(long timer, Request message, NetSocket upstream) {
    if (vertx.cancelTimer(timer)) {
      var unused = limiter.refund(message);
    }
    upstream.close();
  }

  /** Ends it in order: what the upstream still answers to earlier messages is heard. */
  private void end(NetSocket caller, NetSocket upstream, Relay down, Decision decision) {
    String rule = decision.rule().orElse("");
    String reason = "refused by " + rule.substring(0, Math.min(rule.length(), LONGEST_NAME));
    var unused = upstream.write(Frames.close(POLICY_VIOLATION, reason, true));
    down.endWith(() -> caller.write(Frames.close(POLICY_VIOLATION, reason, false)));
    upstream.closeHandler(v -> down.stop());
    caller.handler(dropped -> {}).resume();
    vertx.setTimer(LAST_WORDS_MILLIS, t -> down.stop());
    vertx.setTimer(2 * LAST_WORDS_MILLIS, t -> caller.close());
  }
}
