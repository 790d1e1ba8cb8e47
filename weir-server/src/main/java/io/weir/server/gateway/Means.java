package io.weir.server.gateway;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.Limiter;
import io.weir.http.Identity;
import io.weir.server.web.Desk;

/**
 * What a gateway decides with.
 *
 * @param node how this node names itself to upstreams
 * @param messages decides on the messages of WebSockets, by the rules that name them
 */
public record Means(
    String node,
    Desk desk,
    Identity identity,
    MessageRules messageRules,
    Limiter messages,
    MeterRegistry meters) {}
