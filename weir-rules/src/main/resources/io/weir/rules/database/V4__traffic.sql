-- What rules said, added up over all nodes: of each minute (seconds = 60) and each hour (3600) since the epoch.
-- Rules that said little stand together under an empty id, what became of whole requests under *.
CREATE TABLE weir_traffic (
  seconds INT NOT NULL,
  began BIGINT NOT NULL,
  rule_id VARCHAR(64) NOT NULL,
  allowed BIGINT NOT NULL,
  refused BIGINT NOT NULL,
  shadow_refused BIGINT NOT NULL,
  PRIMARY KEY (seconds, began, rule_id)
);
-- What a node locks while it adds, so that two do not make the same row.
INSERT INTO weir_traffic VALUES (0, 0, '', 0, 0, 0);
CREATE INDEX weir_traffic_of_rule ON weir_traffic (rule_id, seconds, began);

-- Nodes that live, each with what it says of itself, as JSON.
CREATE TABLE weir_node (
  name VARCHAR(200) PRIMARY KEY,
  seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
  body VARCHAR(100000) NOT NULL
);
