/**
 * The door that speaks Envoy's rate limit protocol ({@code envoy.service.ratelimit.v3}) over gRPC.
 */
package io.weir.server.rls;
