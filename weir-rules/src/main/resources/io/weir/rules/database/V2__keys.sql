-- API keys, with the SHA-256 of the secret in hex. Revoked keys are kept, so that their ids are never reused.
CREATE TABLE weir_key (
  id VARCHAR(32) PRIMARY KEY,
  hash VARCHAR(64) NOT NULL UNIQUE,
  owner VARCHAR(200) NOT NULL,
  tier VARCHAR(200) NOT NULL,
  who VARCHAR(200) NOT NULL,
  created_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  revoked_at TIMESTAMP WITH TIME ZONE,
  revision BIGINT NOT NULL
);
CREATE INDEX weir_key_by_revision ON weir_key (revision);
