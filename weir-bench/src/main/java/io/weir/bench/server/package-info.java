/**
 * The server's doors under load, beside bare endpoints and nginx: the parts {@code ./bench server}
 * and {@code ./bench gateway}.
 */
package io.weir.bench.server;
