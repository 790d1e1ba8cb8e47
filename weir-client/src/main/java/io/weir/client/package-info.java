/**
 * For those who call limited services: an HTTP client that keeps to the limits it is told of, and a
 * limiter that asks the decision service.
 */
package io.weir.client;
