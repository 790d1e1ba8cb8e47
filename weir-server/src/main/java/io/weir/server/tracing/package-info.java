/** Records decisions as OpenTelemetry spans. */
package io.weir.server.tracing;
