/** Tests of Spring applications that Weir limits. */
package io.weir.testkit.spring;
