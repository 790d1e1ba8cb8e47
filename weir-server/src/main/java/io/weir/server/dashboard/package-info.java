/** The dashboard: a page of a few files, served by the admin door as they are. */
package io.weir.server.dashboard;
