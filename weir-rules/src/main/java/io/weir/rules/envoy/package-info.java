/** Maps Envoy's descriptors to attributes, and imports configurations of envoyproxy/ratelimit. */
package io.weir.rules.envoy;
