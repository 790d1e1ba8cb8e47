package io.weir.gateway;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Decision;
import io.weir.gateway.log.AccessLog;
import io.weir.gateway.log.AccessLogEntry;
import io.weir.http.IdentifiedRequest;
import io.weir.http.VerifiedCaller;
import io.weir.store.Clock;
import io.weir.web.VertxHeaders;
import org.jspecify.annotations.Nullable;

/** Logs every request that has ended. */
final class AccessLogListener implements RequestEndListener {
  private static final int MAX_TEXT_LENGTH = 300;
  private static final int MIN_ERROR = 400;

  private final AccessLog log;
  private final Clock clock;

  AccessLogListener(AccessLog log, Clock clock) {
    this.log = log;
    this.clock = clock;
  }

  @Override
  public void onRequestEnd(ProxiedRequest request) {
    boolean hasHead = request.http().response().headWritten();
    int status = hasHead ? request.http().response().getStatusCode() : 0;
    ForwardingFailure failure = request.failure();
    if (log.isLogged(failure == null ? status : failure.status)) {
      log.log(entry(request, status));
    }
  }

  private AccessLogEntry entry(ProxiedRequest request, int status) {
    HttpServerRequest http = request.http();
    IdentifiedRequest call = request.isIdentified() ? request.call() : null;
    Decision decision = request.isDecided() ? request.decision() : null;
    VerifiedCaller caller = call == null ? null : call.caller();
    String referer = http.getHeader(HttpHeaders.REFERER);
    return new AccessLogEntry(
        request.startedMicros(),
        Math.max(0, clock.micros() - request.startedMicros()),
        request.upstreamMicros(),
        request.id(),
        call == null ? VertxHeaders.peerAddress(http).toString() : call.address().toString(),
        caller == null ? null : caller.user(),
        http.method().name(),
        call == null ? pathOf(http.uri()) : call.endpoint().path(),
        protocol(http),
        call == null ? null : call.request().get("host"),
        status,
        call == null ? 0 : request.requestBody().bytesReceived(),
        http.response().bytesWritten(),
        decision == null ? "none" : decision.allowed() ? "allowed" : "refused",
        decision != null && decision.degraded(),
        decision == null ? null : decision.rule().orElse(null),
        request.upstream(),
        reason(request, status),
        truncated(request.failureDetail()),
        referer == null ? null : pathOf(referer),
        truncated(http.getHeader(HttpHeaders.USER_AGENT)));
  }

  /** Why a request has no complete response of an upstream; null if it has one. */
  private static @Nullable String reason(ProxiedRequest request, int status) {
    ForwardingFailure failure = request.failure();
    if (failure != null) {
      return failure.label();
    }
    if (!request.isAnswered() && !request.isUpgraded()) {
      return "caller_closed";
    }
    if (!request.isDecided()) {
      return "bad_request";
    }
    if (!request.decision().allowed()) {
      return "refused";
    }
    if (request.upstream() == null && status >= MIN_ERROR) {
      return status == IdentifiedRequest.UNAUTHORIZED ? "unauthorized" : "no_route";
    }
    return null;
  }

  private static String protocol(HttpServerRequest http) {
    return switch (http.version()) {
      case HTTP_1_0 -> "HTTP/1.0";
      case HTTP_1_1 -> "HTTP/1.1";
      default -> "HTTP/2.0";
    };
  }

  /** A target or URL without its query, which may have secrets. */
  private static String pathOf(String url) {
    int end = 0;
    while (end < url.length() && "?#".indexOf(url.charAt(end)) < 0) {
      end++;
    }
    return truncatedTo(url, end);
  }

  private static @Nullable String truncated(@Nullable String text) {
    return text == null ? null : truncatedTo(text, text.length());
  }

  private static String truncatedTo(String text, int end) {
    return end <= MAX_TEXT_LENGTH
        ? text.substring(0, end)
        : text.substring(0, MAX_TEXT_LENGTH) + "...";
  }
}
