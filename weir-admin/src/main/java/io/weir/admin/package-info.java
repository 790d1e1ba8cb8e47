/** The admin API: health, rules, API keys, counters, bans and statistics of a node. */
package io.weir.admin;
