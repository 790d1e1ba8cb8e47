package io.weir.rules.envoy;

import io.weir.rule.Rate;
import io.weir.rules.text.SourcePosition;
import java.util.Optional;

/**
 * What a descriptor's {@code rate_limit} says.
 *
 * @param rate empty if it is unlimited
 * @param name empty if it has none
 */
record EnvoyLimit(SourcePosition position, Optional<Rate> rate, String name) {}
