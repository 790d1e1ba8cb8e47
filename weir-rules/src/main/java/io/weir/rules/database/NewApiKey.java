package io.weir.rules.database;

/**
 * A newly created API key with its secret, which is shown only once.
 *
 * @param secret the secret that the caller presents
 */
public record NewApiKey(String id, String secret) {

  @Override
  public String toString() {
    return "key " + id;
  }
}
