package io.weir.server.resp;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.metrics.DecisionMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * The commands of one connection. Besides {@code CL.THROTTLE}, it answers what clients send when
 * they connect. Used by one event loop.
 */
final class RespSession {
  private final Limiter limiter;
  private final DecisionMetrics metrics;
  private int protocol = 2;
  private boolean ended;

  RespSession(Limiter limiter, DecisionMetrics metrics) {
    this.limiter = limiter;
    this.metrics = metrics;
  }

  /** Whether the caller has said goodbye, so that the connection is closed after the last reply. */
  boolean isEnded() {
    return ended;
  }

  /** Executes a command; the future never completes exceptionally. */
  CompletableFuture<String> execute(List<String> words) {
    String name = words.get(0).toUpperCase(Locale.ROOT);
    if (!name.equals("CL.THROTTLE")) {
      return CompletableFuture.completedFuture(answer(name, words));
    }
    try {
      ThrottleCommand command = ThrottleCommand.parse(words);
      long startedAt = metrics.now();
      return limiter
          .execute(command.request(), command.operation())
          .thenApply(
              decision -> {
                metrics.recordLatencySince(startedAt);
                return isUnavailable(decision)
                    ? RespReplyEncoder.error("the store is unavailable, try again")
                    : command.reply(decision);
              });
    } catch (IllegalArgumentException e) {
      return CompletableFuture.completedFuture(
          RespReplyEncoder.error(String.valueOf(e.getMessage())));
    }
  }

  /** A refusal by a closed fallback, which says nothing about what the caller has used. */
  private static boolean isUnavailable(Decision decision) {
    return decision.degraded() && !decision.allowed() && decision.retryAfter().isZero();
  }

  private String answer(String name, List<String> words) {
    switch (name) {
      case "PING":
        return words.size() > 1
            ? RespReplyEncoder.bulk(words.get(1))
            : RespReplyEncoder.simple("PONG");
      case "ECHO":
        return words.size() == 2
            ? RespReplyEncoder.bulk(words.get(1))
            : RespReplyEncoder.error("wrong number of arguments for 'echo', write ECHO text");
      case "HELLO":
        return hello(words);
      case "QUIT":
        ended = true;
        return RespReplyEncoder.OK;
      case "COMMAND":
        return words.size() > 1 && words.get(1).equalsIgnoreCase("COUNT")
            ? RespReplyEncoder.integer(0)
            : RespReplyEncoder.array(List.of());
      case "AUTH", "CLIENT", "SELECT":
        return RespReplyEncoder.OK; // access is a matter of the network; there is one database
      default:
        return RespReplyEncoder.error(
            "unknown command '%s', use CL.THROTTLE key max_burst count period [quantity]"
                .formatted(name.length() > 40 ? name.substring(0, 40) + "…" : name));
    }
  }

  private String hello(List<String> words) {
    if (words.size() > 1) {
      String version = words.get(1);
      if (!version.equals("2") && !version.equals("3")) {
        return "-NOPROTO unsupported protocol version\r\n";
      }
      protocol = Integer.parseInt(version);
    }
    List<String> fields = new ArrayList<>();
    for (String[] field :
        new String[][] {
          {"server", "weir"}, {"version", "7.0.0"}, {"mode", "standalone"}, {"role", "master"}
        }) {
      fields.add(RespReplyEncoder.bulk(field[0]));
      fields.add(RespReplyEncoder.bulk(field[1]));
    }
    fields.add(RespReplyEncoder.bulk("proto"));
    fields.add(RespReplyEncoder.integer(protocol));
    fields.add(RespReplyEncoder.bulk("id"));
    fields.add(RespReplyEncoder.integer(1));
    fields.add(RespReplyEncoder.bulk("modules"));
    fields.add(RespReplyEncoder.array(List.of()));
    return RespReplyEncoder.map(fields, protocol);
  }
}
