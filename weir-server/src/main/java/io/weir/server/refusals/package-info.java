/** The refusal log: one JSON line per refusal, sampled under load, with pseudonymized callers. */
package io.weir.server.refusals;
