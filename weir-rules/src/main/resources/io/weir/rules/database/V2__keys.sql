-- API keys: of a secret only its SHA-256 in hex. A key that is revoked stays, so that its id is never used again.
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
