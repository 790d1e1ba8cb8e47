/** Experiments that show how limits behave, run with the production classes on virtual time. */
package io.weir.lab;
