/** Where requests are forwarded: targets of routes, their upstreams, load balancing and health. */
package io.weir.gateway.routing;
