/** What the server is told: every setting, from flags, environment, file and defaults. */
package io.weir.server.config;
