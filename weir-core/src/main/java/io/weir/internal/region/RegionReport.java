package io.weir.internal.region;

import java.time.Duration;

/**
 * The report of a node to the ledger about one divided budget.
 *
 * @param budget the divided budget
 * @param region the region of the node
 * @param nodeId the unique id of the node
 * @param nodeCount the number of nodes that use the store of the region, including this one
 * @param appliedShare the share that the node enforces, in thousandths; zero if it has not enforced
 *     any
 * @param demand the recent demand on the node, as a multiple of the whole limit
 * @param usedFraction the permits given out since the last report, as a fraction of the whole limit
 * @param requestedShare the share that the region should have, in thousandths; negative for no
 *     change
 * @param recoveryTime the time after which all permits given out are available again
 * @param drainsSteadily whether permits recover steadily, at the rate of the share, or all at once
 * @param silenceTimeout the time without reports after which a node counts as silent
 * @param leaving whether the node enforces nothing from now on
 */
public record RegionReport(
    RegionalBudget budget,
    String region,
    String nodeId,
    int nodeCount,
    int appliedShare,
    double demand,
    double usedFraction,
    int requestedShare,
    Duration recoveryTime,
    boolean drainsSteadily,
    Duration silenceTimeout,
    boolean leaving) {}
