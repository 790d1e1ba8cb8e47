package io.weir.region;

import java.time.Duration;

/**
 * What a node tells the ledger of a rule.
 *
 * @param budget the rule, and how it is divided
 * @param region the region of the node
 * @param nodeId the node, named by nobody else
 * @param nodeCount how many nodes share the region's store, this one included
 * @param appliedShare the share it enforces, in thousandths; zero if it has enforced none yet
 * @param demand what it was asked for lately, as a multiple of the whole limit
 * @param usedFraction what it has given out since it last told, as a part of the whole limit
 * @param requestedShare the share the region should have, in thousandths; negative for no other
 * @param recoveryTime the time after which all that was given out has come back
 * @param drainsSteadily whether it comes back steadily, at the rate of the share, or all at once
 * @param silenceTimeout the time after which a node that tells nothing has fallen silent
 * @param leaving whether it enforces nothing from now on
 */
public record RegionReport(
    DividedBudget budget,
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
