/**
 * Rules, their selectors and limits, and the indexed rule set that finds the rules of a request.
 */
package io.weir.rule;
