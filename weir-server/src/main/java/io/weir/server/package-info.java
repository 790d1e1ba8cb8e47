/** The server: one store, one set of rules, one limiter, and the listeners that use them. */
package io.weir.server;
