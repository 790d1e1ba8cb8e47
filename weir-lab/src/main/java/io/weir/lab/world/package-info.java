/**
 * Many nodes, the store they share and the network between, in one thread, under time that moves
 * only when told: what happens depends on a seed and on nothing else.
 */
package io.weir.lab.world;
