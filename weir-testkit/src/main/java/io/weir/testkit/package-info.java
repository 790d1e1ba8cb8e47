/**
 * For tests: a clock to turn by hand, assertions on decisions, and the laws and the contract that
 * every algorithm and every store keeps, as classes to extend.
 */
package io.weir.testkit;
