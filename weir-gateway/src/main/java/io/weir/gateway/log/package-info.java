/** The access log of the gateway: one line for each request, written in the background. */
package io.weir.gateway.log;
