-- Every change advances the revision of its kind, and locks this row until it commits: so changes are serialized.
CREATE TABLE weir_revision (
  kind VARCHAR(16) PRIMARY KEY,
  revision BIGINT NOT NULL
);
INSERT INTO weir_revision (kind, revision) VALUES ('rules', 0);
INSERT INTO weir_revision (kind, revision) VALUES ('keys', 0);

-- One row per rule; body is the rule as JSON, revision is that of its last change.
CREATE TABLE weir_rule (
  id VARCHAR(64) PRIMARY KEY,
  position BIGINT NOT NULL,
  body VARCHAR(1000000) NOT NULL,
  revision BIGINT NOT NULL
);

-- The history of changes; body_before is null if the change created the rule, body_after if it deleted the rule.
CREATE TABLE weir_history (
  revision BIGINT PRIMARY KEY,
  rule_id VARCHAR(64) NOT NULL,
  position BIGINT NOT NULL,
  who VARCHAR(200) NOT NULL,
  changed_at TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  body_before VARCHAR(1000000),
  body_after VARCHAR(1000000)
);
CREATE INDEX weir_history_of_rule ON weir_history (rule_id, revision);
