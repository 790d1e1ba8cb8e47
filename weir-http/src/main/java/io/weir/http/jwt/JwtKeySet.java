package io.weir.http.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.Algorithm;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.ECDSAVerifier;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jose.crypto.RSASSAVerifier;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyType;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jwt.SignedJWT;
import java.text.ParseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys that tokens may be signed with, each bound to its algorithms: the key determines how a
 * token is verified, never the token itself. Immutable.
 */
final class JwtKeySet {
  static final JwtKeySet EMPTY = new JwtKeySet(List.of());

  private static final int MIN_RSA_BITS = 2048;

  /** The maximum number of keys tried for a token without a key id. */
  private static final int MAX_KEYS_TRIED = 4;

  private final List<VerificationKey> keys;

  private JwtKeySet(List<VerificationKey> keys) {
    this.keys = List.copyOf(keys);
  }

  /** A key and one of its algorithms; a key without an id may be used for any token. */
  private record VerificationKey(
      @Nullable String id, JWSAlgorithm algorithm, JWSVerifier verifier) {
    boolean matchesId(@Nullable String wanted) {
      return id == null || wanted == null || id.equals(wanted);
    }
  }

  static JwtKeySet of(JwtSettings settings) {
    try {
      List<VerificationKey> keys = new ArrayList<>();
      for (String name : settings.algorithms()) {
        MACVerifier verifier = new MACVerifier(settings.secret().getBytes(UTF_8));
        keys.add(new VerificationKey(null, JWSAlgorithm.parse(name), verifier));
      }
      return new JwtKeySet(keys);
    } catch (JOSEException e) {
      throw new IllegalArgumentException("jwt: the secret is invalid; use a longer one", e);
    }
  }

  /**
   * Parses a key set. Keys for other algorithms or uses, and weak keys, are omitted.
   *
   * @throws ParseException if the text is not a key set, or none of its keys can be used
   */
  static JwtKeySet parse(String json, List<String> algorithms) throws ParseException {
    List<VerificationKey> keys = new ArrayList<>();
    for (JWK jwk : parseJwkSet(json).getKeys()) {
      if (jwk.getKeyUse() != null && !jwk.getKeyUse().equals(KeyUse.SIGNATURE)) {
        continue;
      }
      Algorithm own = jwk.getAlgorithm();
      for (String name : algorithms) {
        JWSVerifier verifier =
            own == null || own.getName().equals(name) ? verifier(jwk, name) : null;
        if (verifier != null) {
          keys.add(new VerificationKey(jwk.getKeyID(), JWSAlgorithm.parse(name), verifier));
        }
      }
    }
    if (keys.isEmpty()) {
      throw new ParseException("no usable key for " + String.join(", ", algorithms), 0);
    }
    return new JwtKeySet(keys);
  }

  /** The message does not repeat the input: it may contain a secret, or be an arbitrary page. */
  private static JWKSet parseJwkSet(String json) throws ParseException {
    try {
      return JWKSet.parse(json);
    } catch (ParseException | RuntimeException e) {
      throw new ParseException("not a JSON Web Key Set", 0);
    }
  }

  private static @Nullable JWSVerifier verifier(JWK jwk, String algorithm) throws ParseException {
    try {
      boolean elliptic = algorithm.startsWith("ES");
      if (KeyType.RSA.equals(jwk.getKeyType()) && !elliptic && jwk.size() >= MIN_RSA_BITS) {
        return new RSASSAVerifier(jwk.toRSAKey());
      }
      boolean usable = KeyType.EC.equals(jwk.getKeyType()) && elliptic;
      return usable
              && Curve.forJWSAlgorithm(JWSAlgorithm.parse(algorithm))
                  .contains(jwk.toECKey().getCurve())
          ? new ECDSAVerifier(jwk.toECKey())
          : null;
    } catch (JOSEException e) {
      throw new ParseException("the set contains an invalid key", 0);
    }
  }

  /** Returns whether there is a key with the key id of a token. */
  boolean hasKeyFor(SignedJWT token) {
    String wanted = token.getHeader().getKeyID();
    return keys.stream().anyMatch(key -> key.matchesId(wanted));
  }

  /** Returns whether a token was signed with one of the keys that match its key id. */
  boolean verify(SignedJWT token) {
    int tries = 0;
    for (VerificationKey key : keys) {
      boolean matches =
          key.algorithm.equals(token.getHeader().getAlgorithm())
              && key.matchesId(token.getHeader().getKeyID());
      if (matches && ++tries <= MAX_KEYS_TRIED && verify(key.verifier, token)) {
        return true;
      }
    }
    return false;
  }

  private static boolean verify(JWSVerifier verifier, SignedJWT token) {
    try {
      return verifier.verify(token.getHeader(), token.getSigningInput(), token.getSignature());
    } catch (JOSEException e) {
      return false;
    }
  }
}
