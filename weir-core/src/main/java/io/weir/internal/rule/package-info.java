/** Compiled rules: limits, the claims of a request, and the index that finds them. */
package io.weir.internal.rule;
