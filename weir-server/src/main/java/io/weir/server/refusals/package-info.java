/** The log of refusals: one line of JSON each, sampled under floods, nobody named in it. */
package io.weir.server.refusals;
