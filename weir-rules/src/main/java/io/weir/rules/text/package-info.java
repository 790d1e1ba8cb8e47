/** What people write, as values with their places, and what is wrong with it. */
package io.weir.rules.text;
