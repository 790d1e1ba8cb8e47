/** The command line: so far {@code weir demo}, which decides in this process. */
package io.weir.server;
