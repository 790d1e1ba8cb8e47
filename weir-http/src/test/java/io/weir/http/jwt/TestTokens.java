package io.weir.http.jwt;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.util.List;

/** Signs valid and forged tokens. */
final class TestTokens {
  static final String SECRET = "0123456789abcdef0123456789abcdef";
  static final RSAKey RSA = rsa("rsa-1", 2048);
  static final RSAKey OTHER_RSA = rsa("rsa-2", 2048);
  static final ECKey EC = ec("ec-1");

  private TestTokens() {}

  static RSAKey rsa(String id, int bits) {
    try {
      return new RSAKeyGenerator(bits, true).keyID(id).keyUse(KeyUse.SIGNATURE).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static ECKey ec(String id) {
    try {
      return new ECKeyGenerator(Curve.P_256).keyID(id).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the public keys as a JSON Web Key Set. */
  static String jwks(JWK... keys) {
    return new JWKSet(List.of(keys)).toString();
  }

  static String hmac(JWTClaimsSet claims) {
    return hmac(JWSAlgorithm.HS256, SECRET, claims);
  }

  static String hmac(JWSAlgorithm algorithm, String secret, JWTClaimsSet claims) {
    try {
      return sign(new JWSHeader(algorithm), new MACSigner(secret.getBytes(UTF_8)), claims);
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static String rsa(RSAKey key, JWSAlgorithm algorithm, JWTClaimsSet claims) {
    return rsa(key, new JWSHeader.Builder(algorithm).keyID(key.getKeyID()).build(), claims);
  }

  static String rsa(RSAKey key, JWSHeader header, JWTClaimsSet claims) {
    try {
      return sign(header, new RSASSASigner(key), claims);
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  static String ec(JWTClaimsSet claims) {
    try {
      JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(EC.getKeyID()).build();
      return sign(header, new ECDSASigner(EC), claims);
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String sign(JWSHeader header, JWSSigner signer, JWTClaimsSet claims)
      throws JOSEException {
    SignedJWT jwt = new SignedJWT(header, claims);
    jwt.sign(signer);
    return jwt.serialize();
  }

  /** Returns a token of the given parts; the signature is not encoded. */
  static String raw(String header, String payload, String signature) {
    return Base64URL.encode(header) + "." + Base64URL.encode(payload) + "." + signature;
  }

  static JWTClaimsSet sub(String user) {
    return new JWTClaimsSet.Builder().subject(user).build();
  }
}
