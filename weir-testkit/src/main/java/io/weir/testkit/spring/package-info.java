/** Test support for Spring applications that use Weir. */
package io.weir.testkit.spring;
