/**
 * The gateway: a reverse proxy that decides on every request before it forwards it, and forwards
 * exactly what it decided on.
 */
package io.weir.gateway;
