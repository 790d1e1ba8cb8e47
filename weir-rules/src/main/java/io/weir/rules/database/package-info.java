/**
 * Rules and API keys in a database: served from memory, followed as they change, with a history.
 */
package io.weir.rules.database;
