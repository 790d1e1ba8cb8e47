/**
 * Experiments one can look at: how limits behave, shown by the classes that enforce them, under
 * time that moves only when told.
 */
package io.weir.lab;
