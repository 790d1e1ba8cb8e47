-- For every write, by Weir or manual: the revision of its kind advances, the row gets this revision, the history records the change,
-- and every node is notified. Weir sets the author of a change in weir.who.
ALTER TABLE weir_history DROP CONSTRAINT weir_history_pkey;
ALTER TABLE weir_history ADD PRIMARY KEY (revision, rule_id);
CREATE INDEX weir_rule_by_revision ON weir_rule (revision);

-- The revision of the last deletion; other changes are found by the revision of their rows.
ALTER TABLE weir_revision ADD COLUMN deleted BIGINT DEFAULT 0 NOT NULL;
-- The revision advances once per transaction, since reads of a row get slower with each write in the same transaction.
ALTER TABLE weir_revision ADD COLUMN moved_by xid8;

-- Runs before any row is locked, so that writers always wait for each other at this point and cannot deadlock.
CREATE FUNCTION weir_move() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  UPDATE weir_revision SET revision = revision + 1, moved_by = pg_current_xact_id()
    WHERE kind = TG_ARGV[0] AND moved_by IS DISTINCT FROM pg_current_xact_id();
  UPDATE weir_revision SET deleted = revision
    WHERE kind = TG_ARGV[0] AND deleted <> revision AND TG_OP IN ('DELETE', 'TRUNCATE');
  NOTIFY weir;
  RETURN NULL;
END $$;

CREATE FUNCTION weir_rule_written() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  moved BIGINT := (SELECT revision FROM weir_revision WHERE kind = 'rules');
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.id <> OLD.id THEN
    RAISE EXCEPTION 'rule % keeps its id, which its counters belong to; insert another and delete this one', OLD.id;
  END IF;
  INSERT INTO weir_history (revision, rule_id, position, who, body_before, body_after)
    VALUES (moved, COALESCE(OLD.id, NEW.id), COALESCE(OLD.position, NEW.position),
      COALESCE(NULLIF(current_setting('weir.who', true), ''), session_user || ' by hand'), OLD.body, NEW.body)
    ON CONFLICT (revision, rule_id) DO UPDATE SET body_after = EXCLUDED.body_after;
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  NEW.revision := moved;
  RETURN NEW;
END $$;

CREATE FUNCTION weir_key_written() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  NEW.revision := (SELECT revision FROM weir_revision WHERE kind = 'keys');
  RETURN NEW;
END $$;

CREATE TRIGGER weir_rule_move BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON weir_rule
  FOR EACH STATEMENT EXECUTE FUNCTION weir_move('rules');
CREATE TRIGGER weir_rule_written BEFORE INSERT OR UPDATE OR DELETE ON weir_rule
  FOR EACH ROW EXECUTE FUNCTION weir_rule_written();
CREATE TRIGGER weir_key_move BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON weir_key
  FOR EACH STATEMENT EXECUTE FUNCTION weir_move('keys');
CREATE TRIGGER weir_key_written BEFORE INSERT OR UPDATE ON weir_key
  FOR EACH ROW EXECUTE FUNCTION weir_key_written();
