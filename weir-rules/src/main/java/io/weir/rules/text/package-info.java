/** Parses YAML and JSON into values with source positions, and collects problems. */
package io.weir.rules.text;
