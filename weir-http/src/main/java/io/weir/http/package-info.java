/**
 * What every HTTP door shares, whatever its framework: who calls, what is called, and how a
 * decision is told.
 */
package io.weir.http;
