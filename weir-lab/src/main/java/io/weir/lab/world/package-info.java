/**
 * Deterministic simulation of nodes, the store they share and the network between, in one thread
 * and on virtual time: a run depends only on its seed.
 */
package io.weir.lab.world;
