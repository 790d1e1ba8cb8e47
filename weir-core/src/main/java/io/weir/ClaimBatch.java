package io.weir;

import io.weir.rule.Claim;
import io.weir.store.ClaimOutcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The claims of several requests as one list for the store, and what it said of each request. */
final class ClaimBatch {
  private final Claim[][] claimsByRequest;
  private int requestCount;
  private int claimCount;

  ClaimBatch(int requests) {
    claimsByRequest = new Claim[requests][];
  }

  void add(Claim[] claims) {
    claimsByRequest[requestCount++] = claims;
    claimCount += claims.length;
  }

  Claim[] allClaims() {
    Claim[] all = new Claim[claimCount];
    int n = 0;
    for (Claim[] part : claimsByRequest) {
      System.arraycopy(part, 0, all, n, part.length);
      n += part.length;
    }
    return all;
  }

  List<Decision> decisions(ClaimOutcome[] outcomes, long revision) {
    List<Decision> decisions = new ArrayList<>(claimsByRequest.length);
    int n = 0;
    for (Claim[] part : claimsByRequest) {
      ClaimOutcome[] said = Arrays.copyOfRange(outcomes, n, n + part.length);
      decisions.add(new Decision(part, said, revision));
      n += part.length;
    }
    return decisions;
  }
}
