package io.weir.rules.envoy;

import io.weir.rule.Rate;
import io.weir.rules.text.SourcePosition;
import java.util.Optional;

/**
 * The {@code rate_limit} of a descriptor.
 *
 * @param rate empty if it is unlimited
 * @param name empty if it has none
 */
record EnvoyLimit(SourcePosition position, Optional<Rate> rate, String name) {}
