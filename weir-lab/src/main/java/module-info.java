/** The production classes of Weir under a simulated clock and network. */
module io.weir.lab {
  requires transitive io.weir.core;
  requires static org.jspecify;

  exports io.weir.lab;
}
