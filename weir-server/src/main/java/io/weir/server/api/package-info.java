/** The decision API over HTTP: check, peek, check-batch, reserve and auth. */
package io.weir.server.api;
