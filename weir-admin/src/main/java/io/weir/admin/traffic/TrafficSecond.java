package io.weir.admin.traffic;

import io.weir.rules.database.RuleCounts;
import java.util.Map;

/**
 * The traffic of one second.
 *
 * @param time the start, in seconds since the epoch
 * @param requests the counts of whole requests: allowed, refused by an enforcing rule, and refusals
 *     of shadow rules
 * @param rules the counts by rule id, for rules that decided; the least busy of many rules are
 *     summed under an empty id
 * @param degraded the number of decisions made by a fallback
 * @param storeLatency the store latencies
 */
public record TrafficSecond(
    long time,
    RuleCounts requests,
    Map<String, RuleCounts> rules,
    long degraded,
    StoreLatency.LatencyPercentiles storeLatency) {}
