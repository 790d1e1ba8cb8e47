/** What every HTTP door of the server answers with: routes, bounded bodies, replies. */
package io.weir.server.web;
