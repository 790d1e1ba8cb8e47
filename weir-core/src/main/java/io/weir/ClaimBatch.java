package io.weir;

import io.weir.internal.decision.EvaluatedDecision;
import io.weir.internal.rule.Claim;
import io.weir.internal.store.ClaimOutcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Joins the claims of several requests for one store call and splits the outcomes again. */
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
    for (Claim[] claims : claimsByRequest) {
      System.arraycopy(claims, 0, all, n, claims.length);
      n += claims.length;
    }
    return all;
  }

  List<Decision> decisions(ClaimOutcome[] outcomes, long revision) {
    List<Decision> decisions = new ArrayList<>(claimsByRequest.length);
    int n = 0;
    for (Claim[] claims : claimsByRequest) {
      ClaimOutcome[] ofRequest = Arrays.copyOfRange(outcomes, n, n + claims.length);
      decisions.add(new EvaluatedDecision(claims, ofRequest, revision));
      n += claims.length;
    }
    return decisions;
  }
}
