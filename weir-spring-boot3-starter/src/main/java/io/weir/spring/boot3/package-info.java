/** The parts of the Spring Boot integration that are specific to Spring Boot 3. */
package io.weir.spring.boot3;
