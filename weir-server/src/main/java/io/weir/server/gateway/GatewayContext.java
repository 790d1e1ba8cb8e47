package io.weir.server.gateway;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.Limiter;
import io.weir.http.IdentityResolver;
import io.weir.server.web.DecisionHandler;

/**
 * What a gateway decides with.
 *
 * @param nodeName how this node names itself to upstreams
 * @param messageLimiter decides on the messages of WebSockets, by the rules that name them
 */
public record GatewayContext(
    String nodeName,
    DecisionHandler decisionHandler,
    IdentityResolver identity,
    WebSocketMessageRules messageRules,
    Limiter messageLimiter,
    MeterRegistry meterRegistry) {}
