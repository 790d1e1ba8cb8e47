-- Whoever writes a row, Weir or a hand: the revision of its kind moves on, the row bears it, the history keeps the change.
-- Whom Weir writes for it says in @weir_who.
ALTER TABLE weir_history DROP PRIMARY KEY;
ALTER TABLE weir_history ADD PRIMARY KEY (revision, rule_id);
CREATE INDEX weir_rule_by_revision ON weir_rule (revision);
-- The revision in which rows were deleted last: what else changed is found by the revision of its row.
ALTER TABLE weir_revision ADD COLUMN deleted BIGINT DEFAULT 0 NOT NULL;

CREATE TRIGGER weir_rule_written BEFORE INSERT, UPDATE, DELETE ON weir_rule
  FOR EACH ROW CALL 'io.weir.rules.database.H2Trigger';
CREATE TRIGGER weir_key_written BEFORE INSERT, UPDATE, DELETE ON weir_key
  FOR EACH ROW CALL 'io.weir.rules.database.H2Trigger';
