/** The door of a servlet container: a filter, and its parts for frameworks that have their own. */
package io.weir.http.servlet;
