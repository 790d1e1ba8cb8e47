package io.weir.region;

import java.util.concurrent.CompletionStage;

/**
 * Where the nodes of all regions write down what each region may give out, so that it is never more
 * than everything.
 *
 * <p>A region that never wrote counts with its configured share, one that has fallen silent with
 * what it last had, for ever. A share is raised by what is free only. One that is lowered becomes
 * free when every node of the region has applied it and what was given out under the higher one has
 * come back, so that no permit is given out in two regions.
 *
 * <p>Safe for any number of threads; asking never blocks, and fails if the ledger is away.
 */
public interface RegionLedger extends AutoCloseable {

  /** Writes down how a node fares under a rule, and reads how all regions do. */
  CompletionStage<LedgerSnapshot> exchange(RegionReport report);

  /** Why it could not be asked the last time; empty if it could. */
  String lastError();

  @Override
  void close();
}
