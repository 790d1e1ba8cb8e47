-- For every write, by Weir or manual: the revision of its kind advances, the row gets this revision, the history records the change.
-- Weir sets the author of a change in @weir_who.
ALTER TABLE weir_history DROP PRIMARY KEY;
ALTER TABLE weir_history ADD PRIMARY KEY (revision, rule_id);
CREATE INDEX weir_rule_by_revision ON weir_rule (revision);
-- The revision of the last deletion; other changes are found by the revision of their rows.
ALTER TABLE weir_revision ADD COLUMN deleted BIGINT DEFAULT 0 NOT NULL;

CREATE TRIGGER weir_rule_written BEFORE INSERT, UPDATE, DELETE ON weir_rule
  FOR EACH ROW CALL 'io.weir.rules.database.H2Trigger';
CREATE TRIGGER weir_key_written BEFORE INSERT, UPDATE, DELETE ON weir_key
  FOR EACH ROW CALL 'io.weir.rules.database.H2Trigger';
