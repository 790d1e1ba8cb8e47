/** The application under test, with servlets or WebFlux. */
package io.weir.spring.app;
