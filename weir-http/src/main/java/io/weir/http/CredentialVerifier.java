package io.weir.http;

import java.util.Optional;

/**
 * Says whose a secret or token is. Asked on the path of every request that presents one: from
 * memory, without waiting, by any number of threads.
 */
@FunctionalInterface
public interface CredentialVerifier {

  /** Whose it is; empty if that cannot be verified. */
  Optional<VerifiedCaller> verify(String presented);
}
