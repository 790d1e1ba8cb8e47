package io.weir;

import io.weir.rule.Claim;
import io.weir.store.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The claims of several requests as one list for the store, and what it said of each request. */
final class Together {
  private final Claim[][] parts;
  private int added;
  private int size;

  Together(int requests) {
    parts = new Claim[requests][];
  }

  void add(Claim[] claims) {
    parts[added++] = claims;
    size += claims.length;
  }

  Claim[] claims() {
    Claim[] all = new Claim[size];
    int n = 0;
    for (Claim[] part : parts) {
      System.arraycopy(part, 0, all, n, part.length);
      n += part.length;
    }
    return all;
  }

  List<Decision> decisions(Outcome[] outcomes, long revision) {
    List<Decision> decisions = new ArrayList<>(parts.length);
    int n = 0;
    for (Claim[] part : parts) {
      Outcome[] said = Arrays.copyOfRange(outcomes, n, n + part.length);
      decisions.add(new Decision(part, said, revision));
      n += part.length;
    }
    return decisions;
  }
}
