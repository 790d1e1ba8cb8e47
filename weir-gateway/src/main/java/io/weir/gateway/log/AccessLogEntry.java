package io.weir.gateway.log;

import org.jspecify.annotations.Nullable;

/**
 * One request in the access log. It has no secret: no query, no credentials, no bodies.
 *
 * @param timeMicros when the request arrived, in microseconds since the epoch
 * @param durationMicros from then until the last byte of the response
 * @param upstreamMicros from then until the head of the upstream's response; negative if there is
 *     none
 * @param requestId the caller's {@code X-Request-ID}, or a new one; upstreams receive the same
 * @param address the caller, behind trusted proxies
 * @param user the verified user
 * @param path normalized, without the query
 * @param protocol such as {@code HTTP/1.1}
 * @param status of the response; 0 if none was sent
 * @param decision {@code allowed}, {@code refused}, or {@code none} if the request was not decided
 * @param degraded whether a rule's fallback was used
 * @param rule the rule that refused the request, or else was the tightest
 * @param reason why there is no complete response of an upstream
 * @param detail the message of the failure's cause
 */
public record AccessLogEntry(
    long timeMicros,
    long durationMicros,
    long upstreamMicros,
    String requestId,
    String address,
    @Nullable String user,
    String method,
    String path,
    String protocol,
    @Nullable String host,
    int status,
    long bytesReceived,
    long bytesSent,
    String decision,
    boolean degraded,
    @Nullable String rule,
    @Nullable String upstream,
    @Nullable String reason,
    @Nullable String detail,
    @Nullable String referer,
    @Nullable String userAgent) {}
