/** Decisions with their claims, for the engine and the endpoints of Weir. */
package io.weir.internal.decision;
