/** Tells a webhook of trouble that metrics would show only to those who look. */
package io.weir.server.alerts;
