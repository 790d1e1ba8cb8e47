/**
 * Requests in flight.
 *
 * <p><b>Formula.</b> A request takes a slot when it begins and gives it back when it ends; a
 * request is admitted while fewer than {@code in-flight} slots are in use.
 *
 * <p><b>Bound.</b> The slots of all nodes whose lease is valid never exceed the limit. The slots of
 * a node that has disappeared are free when its lease ends.
 *
 * <p><b>Use it for</b> work that takes long or an unknown time, where a rate says little about the
 * load. It is not an {@code algorithm} of a rule: a rule has {@code in-flight} beside or instead of
 * its {@code limit}.
 */
package io.weir.internal.algorithm.inflight;
