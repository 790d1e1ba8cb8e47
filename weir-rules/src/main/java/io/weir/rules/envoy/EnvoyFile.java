package io.weir.rules.envoy;

import io.weir.rules.text.ProblemCollector;

/** A configuration file of envoyproxy/ratelimit that was read, and its problems. */
record EnvoyFile(String name, ProblemCollector problems, EnvoyReader.EnvoyDomain domain) {}
