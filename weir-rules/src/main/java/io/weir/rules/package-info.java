/** Rules as text: read with the place of every error, written back, and watched in a file. */
package io.weir.rules;
