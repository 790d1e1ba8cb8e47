/** Alerts: pushes conditions to a webhook that otherwise only metrics would show. */
package io.weir.admin.alerts;
