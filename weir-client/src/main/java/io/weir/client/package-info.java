/**
 * For callers of rate-limited services: an HTTP client that paces its calls to stay within reported
 * limits, and a limiter backed by the decision API of a Weir server.
 */
package io.weir.client;
