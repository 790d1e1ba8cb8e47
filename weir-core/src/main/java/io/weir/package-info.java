/**
 * The public API: {@link io.weir.Weir} creates a {@link io.weir.Limiter}, which decides requests.
 */
package io.weir;
