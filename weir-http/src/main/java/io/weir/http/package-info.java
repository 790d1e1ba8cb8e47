/**
 * Framework-independent parts of all HTTP endpoints: caller identification, path normalization,
 * rate limit headers and refusal bodies.
 */
package io.weir.http;
