/** Rule repositories, for reading and replacing all rules at once. */
package io.weir.cli.repository;
