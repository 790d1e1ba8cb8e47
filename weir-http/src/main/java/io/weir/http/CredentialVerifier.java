package io.weir.http;

import java.util.Optional;

/**
 * Verifies API keys or tokens. Called for every request that presents one, by any number of
 * threads: implementations must answer from memory, without blocking.
 */
@FunctionalInterface
public interface CredentialVerifier {

  /** Returns the caller that a secret or token belongs to; empty if it cannot be verified. */
  Optional<VerifiedCaller> verify(String presented);
}
