-- Every change moves the revision of its kind on, and holds its row until it is committed: changes are in one order.
CREATE TABLE weir_revision (
  kind VARCHAR(16) PRIMARY KEY,
  revision BIGINT NOT NULL
);
INSERT INTO weir_revision (kind, revision) VALUES ('rules', 0);
INSERT INTO weir_revision (kind, revision) VALUES ('keys', 0);

-- One rule a row; the body is its JSON, the revision that of its last change.
CREATE TABLE weir_rule (
  id VARCHAR(64) PRIMARY KEY,
  position BIGINT NOT NULL,
  body VARCHAR(1000000) NOT NULL,
  revision BIGINT NOT NULL
);

-- Who changed which rule, when, from what to what; no body: there was, or is, no such rule.
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
