/** The RESP endpoint: {@code CL.THROTTLE} for clients of redis-cell, in the protocol of Redis. */
package io.weir.server.resp;
