/**
 * Regions that divide the budgets of rules: each enforces its share on its own store, and shares
 * follow demand through a ledger that all can reach.
 */
package io.weir.region;
