/**
 * Test support: a fake clock, assertions on decisions, and base classes with the laws of all
 * algorithms and the contract of all stores.
 */
package io.weir.testkit;
