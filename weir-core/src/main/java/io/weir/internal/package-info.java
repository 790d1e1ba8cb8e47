/** Helpers shared by the modules of Weir. Not an API: they may change in any version. */
package io.weir.internal;
