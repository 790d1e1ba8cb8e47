package io.weir.server.admin;

import io.weir.rule.RuleSource;
import io.weir.server.regions.RegionShareService;
import io.weir.store.Clock;
import io.weir.store.Store;
import java.util.function.Supplier;

/**
 * The node that is administered, by its parts.
 *
 * @param name what people call it
 * @param rules as they are written
 * @param regions what of them is enforced here
 * @param metrics the page Prometheus reads, in its text format
 */
public record AdministeredNode(
    String name,
    RuleSource rules,
    RegionShareService regions,
    Store store,
    Supplier<String> metrics,
    Clock clock) {}
