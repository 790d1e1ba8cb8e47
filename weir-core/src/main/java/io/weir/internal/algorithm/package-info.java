/** Rate limiting algorithms: pure functions on a small counter state, in Java and in Lua. */
package io.weir.internal.algorithm;
