/** What a node remembers of its traffic: by the second, by the minute, and request by request. */
package io.weir.server.traffic;
