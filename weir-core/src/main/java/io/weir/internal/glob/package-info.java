/** Glob patterns: trees that find the matching patterns of a value among many. */
package io.weir.internal.glob;
