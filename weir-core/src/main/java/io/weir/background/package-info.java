/** Background work that survives every failure of a round, and the supervision of all of it. */
package io.weir.background;
