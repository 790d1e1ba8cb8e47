/**
 * Divides the budgets of rules over regions. Each region enforces its share on its own store;
 * shares follow demand through a ledger shared by all regions.
 */
package io.weir.internal.region;
