/** Decisions as OpenTelemetry spans, for users who have it. */
package io.weir.server.tracing;
