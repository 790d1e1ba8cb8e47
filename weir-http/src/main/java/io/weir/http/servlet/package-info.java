/** A servlet filter, and its parts for frameworks with their own filters. */
package io.weir.http.servlet;
