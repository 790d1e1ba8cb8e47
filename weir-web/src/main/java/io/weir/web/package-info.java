/** Shared parts of the server's HTTP endpoints: routing, bounded request bodies, responses. */
package io.weir.web;
