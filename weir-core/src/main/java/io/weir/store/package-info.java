/** What users of the library see of a store of counters: its clock, events and health. */
package io.weir.store;
