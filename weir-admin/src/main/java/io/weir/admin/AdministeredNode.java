package io.weir.admin;

import io.weir.admin.regions.RegionShareService;
import io.weir.rule.RuleSource;
import io.weir.store.Clock;
import io.weir.store.Store;
import java.util.function.Supplier;

/**
 * The parts of this node that the admin API reads and changes.
 *
 * @param name the display name of the node
 * @param rules the rules as they are configured
 * @param regions the share of the rules that is enforced in this region
 * @param metrics supplies the metrics in the Prometheus text format
 */
public record AdministeredNode(
    String name,
    RuleSource rules,
    RegionShareService regions,
    Store store,
    Supplier<String> metrics,
    Clock clock) {}
