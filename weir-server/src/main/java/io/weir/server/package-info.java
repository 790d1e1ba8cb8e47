/** The server: one store, one set of rules, one limiter, and the doors to it. */
package io.weir.server;
