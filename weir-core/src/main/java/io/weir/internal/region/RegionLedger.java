package io.weir.internal.region;

import java.util.concurrent.CompletionStage;

/**
 * A ledger, shared by the nodes of all regions, of the share that each region may give out, so that
 * the shares never exceed the whole budget.
 *
 * <p>A region that has never reported keeps its configured share reserved; a region that has
 * stopped reporting keeps its last share reserved, indefinitely. A share is only raised by what is
 * free. A lowered share becomes free when every node of the region has applied it and the permits
 * given out under the higher share have recovered, so that no permit is given out in two regions.
 *
 * <p>Thread-safe. Calls never block, and fail if the ledger is unavailable.
 */
public interface RegionLedger extends AutoCloseable {

  /** Stores the report of a node and returns the status of all regions. */
  CompletionStage<LedgerSnapshot> exchange(RegionReport report);

  /** Returns the error of the last call; empty if it succeeded. */
  String lastError();

  @Override
  void close();
}
