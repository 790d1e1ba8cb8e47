/** Finds rules that are valid but hardly intended, such as those that never match. */
package io.weir.rules.lint;
