/** Background tasks that survive failures of single rounds, and their supervision. */
package io.weir.internal.background;
