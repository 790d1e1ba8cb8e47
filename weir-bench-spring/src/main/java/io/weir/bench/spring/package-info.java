/** The application of {@code ./bench spring}, in a separate process with its own class path. */
package io.weir.bench.spring;
