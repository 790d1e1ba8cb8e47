/** The settings of the server, read from flags, environment, file and defaults. */
package io.weir.server.config;
