/** The dashboard: static files served by the admin listener. */
package io.weir.admin.dashboard;
