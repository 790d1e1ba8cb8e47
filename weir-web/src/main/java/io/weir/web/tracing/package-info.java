/** Records decisions as OpenTelemetry spans. */
package io.weir.web.tracing;
