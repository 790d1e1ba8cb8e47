/**
 * Reads rules from YAML and JSON with the position of every error, writes them, and watches files.
 */
package io.weir.rules;
