/** Verification of callers by signed JSON Web Tokens. */
package io.weir.http.jwt;
