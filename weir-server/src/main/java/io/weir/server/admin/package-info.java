/** The admin door: how a node fares, its rules, keys and counters, for those who run it. */
package io.weir.server.admin;
