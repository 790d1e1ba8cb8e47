package io.weir.region;

import java.time.Duration;

/**
 * What a node tells the ledger of a rule.
 *
 * @param rule the rule, and how it is divided
 * @param region the region of the node
 * @param node the node, named by nobody else
 * @param nodes how many nodes share the region's store, this one included
 * @param applied the share it enforces, in thousandths; zero if it has enforced none yet
 * @param demand what it was asked for lately, as a multiple of the whole limit
 * @param used what it has given out since it last told, as a part of the whole limit
 * @param wish the share the region should have, in thousandths; negative for no other
 * @param comesBack the time after which all that was given out has come back
 * @param drains whether it comes back steadily, at the rate of the share, or all at once
 * @param silent the time after which a node that tells nothing has fallen silent
 * @param leaving whether it enforces nothing from now on
 */
public record Report(
    Divided rule,
    String region,
    String node,
    int nodes,
    int applied,
    double demand,
    double used,
    int wish,
    Duration comesBack,
    boolean drains,
    Duration silent,
    boolean leaving) {}
