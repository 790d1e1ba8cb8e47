/** The Envoy rate limit service ({@code envoy.service.ratelimit.v3}) over gRPC. */
package io.weir.server.envoy;
