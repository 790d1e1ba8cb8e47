/**
 * The command line: {@code weir serve}, {@code demo}, {@code check}, {@code rules}, {@code doctor}.
 */
package io.weir.server.cli;
