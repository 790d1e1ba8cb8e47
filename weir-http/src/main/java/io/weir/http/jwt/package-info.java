/** Callers known by a JSON Web Token whose signature holds. */
package io.weir.http.jwt;
