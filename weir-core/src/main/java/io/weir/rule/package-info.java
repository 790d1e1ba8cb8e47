/** What a limit says: rules, whom they meet, and the indexed snapshot a request is held against. */
package io.weir.rule;
