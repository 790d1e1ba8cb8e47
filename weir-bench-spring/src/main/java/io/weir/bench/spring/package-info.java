/** What {@code ./bench spring} measures, in a process and on a class path of its own. */
package io.weir.bench.spring;
