package io.weir.rules.database;

/**
 * An API key just made: the only time its secret is seen.
 *
 * @param secret what the caller presents
 */
public record NewApiKey(String id, String secret) {

  @Override
  public String toString() {
    return "key " + id;
  }
}
