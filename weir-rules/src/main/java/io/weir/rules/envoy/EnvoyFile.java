package io.weir.rules.envoy;

import io.weir.rules.text.Problems;

/** A configuration file that was read, and what is wrong with it. */
record EnvoyFile(String name, Problems problems, EnvoyReader.Domain domain) {}
