/**
 * Rules and API keys in a database: served from memory, reloaded when they change, with a history.
 */
package io.weir.rules.database;
