package io.weir.server.traffic;

import io.weir.rules.database.RuleCounts;
import java.util.Map;

/**
 * What happened in one second.
 *
 * @param time its beginning, in seconds since the epoch
 * @param requests all of them; refused if an enforcing rule refused them, and how often shadow
 *     rules would have
 * @param rules by id, those that said anything; many that said little stand under an empty id
 * @param degraded how many decisions a posture answered
 */
public record TrafficSecond(
    long time,
    RuleCounts requests,
    Map<String, RuleCounts> rules,
    long degraded,
    StoreLatency.LatencyPercentiles storeLatency) {}
