package io.weir.gateway;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.Limiter;
import io.weir.gateway.log.AccessLog;
import io.weir.http.IdentityResolver;
import io.weir.web.DecisionHandler;
import java.util.Optional;

/**
 * The dependencies of a {@link Gateway}.
 *
 * @param nodeName the name of this node, sent to upstreams in {@code Via}
 * @param messageLimiter the limiter for WebSocket messages, with the rules that name them
 * @param accessLog closed by its owner
 */
public record GatewayContext(
    String nodeName,
    DecisionHandler decisionHandler,
    IdentityResolver identity,
    WebSocketMessageRules messageRules,
    Limiter messageLimiter,
    MeterRegistry meterRegistry,
    Optional<AccessLog> accessLog) {}
