/** Reads access logs of web servers and proxies as requests, line by line. */
@org.jspecify.annotations.NullMarked
package io.weir.cli.accesslog;
