/** What Weir needs on Spring Boot 3 beside what it has for every Spring Boot. */
package io.weir.spring.boot3;
