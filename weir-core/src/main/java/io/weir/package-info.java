/** The front door: {@link io.weir.Weir} makes a {@link io.weir.Limiter}, which decides. */
package io.weir;
