/** Envoy's descriptors as attributes, and the rules of envoyproxy/ratelimit as rules of Weir. */
package io.weir.rules.envoy;
