/** The regions of a server: what of divided rules it enforces, and how that follows demand. */
package io.weir.server.regions;
