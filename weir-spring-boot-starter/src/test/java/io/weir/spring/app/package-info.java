/** An application to be limited, by servlets or by WebFlux. */
package io.weir.spring.app;
