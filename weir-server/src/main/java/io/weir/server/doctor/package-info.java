/** Looks for what is wrong with a server's surroundings, or soon will be, and says what helps. */
package io.weir.server.doctor;
