/**
 * The command line: {@code weir serve}, {@code demo}, {@code check}, {@code rules}, {@code doctor},
 * {@code simulate} and {@code completion}.
 */
package io.weir.cli;
