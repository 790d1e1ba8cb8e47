package io.weir.rules.envoy;

import io.weir.rules.text.ProblemCollector;

/** A configuration file that was read, and what is wrong with it. */
record EnvoyFile(String name, ProblemCollector problems, EnvoyReader.EnvoyDomain domain) {}
