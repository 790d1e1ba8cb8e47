package io.weir.gateway;

import java.util.Map;
import java.util.Optional;

/**
 * The settings of a {@link Gateway}.
 *
 * @param upstream the URL of the default upstream
 * @param routes upstream URLs by path prefix
 * @param keepHost whether upstreams receive the caller's {@code Host} instead of their own
 * @param maxDelayedRequests the maximum number of requests that are held for their delay
 * @param reasonHeader whether responses name the reason of a failure in a header field
 */
public record GatewaySettings(
    Optional<String> upstream,
    Map<String, String> routes,
    boolean keepHost,
    int maxDelayedRequests,
    boolean reasonHeader,
    UpstreamSettings upstreams) {}
