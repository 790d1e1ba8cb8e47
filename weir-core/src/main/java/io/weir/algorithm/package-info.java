/** What a limit computes: four verbs over a small state, in Java and in Lua side by side. */
package io.weir.algorithm;
