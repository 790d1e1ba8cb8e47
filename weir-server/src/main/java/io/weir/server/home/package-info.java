/** Where rules live, for those who read and change them as a whole. */
package io.weir.server.home;
