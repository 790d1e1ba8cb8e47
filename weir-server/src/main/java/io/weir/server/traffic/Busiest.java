package io.weir.server.traffic;

import io.weir.rules.database.Said;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/** Keeps so many rules apart, however many there are; the others stand together. */
final class Busiest {
  static final int APART = 200;

  private Busiest() {}

  /** The rules that said most, and all others under an empty id. */
  static Map<String, Said> of(Collection<Said> all) {
    Map<String, Said> apart = new HashMap<>();
    if (all.size() <= APART) {
      all.forEach(said -> add(apart, said));
    } else {
      all.stream()
          .sorted(Comparator.comparingLong(Said::total).reversed())
          .forEach(said -> add(apart, said));
    }
    return apart;
  }

  /** Adds to what a rule said, or to what the others did if there is no room for one more. */
  static void add(Map<String, Said> apart, Said said) {
    boolean known =
        apart.size() < APART || apart.containsKey(said.rule()) || said.rule().equals(Said.REQUESTS);
    apart.merge(known ? said.rule() : "", under(known ? said.rule() : "", said), Said::plus);
  }

  private static Said under(String id, Said said) {
    return Said.nothing(id).plus(said);
  }
}
