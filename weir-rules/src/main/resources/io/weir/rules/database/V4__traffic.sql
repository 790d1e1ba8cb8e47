-- Decisions per rule, summed over all nodes, for each minute (seconds = 60) and each hour (3600); began is in seconds since the epoch.
-- Rules with few decisions are combined under an empty id; the id * has the counts of whole requests.
CREATE TABLE weir_traffic (
  seconds INT NOT NULL,
  began BIGINT NOT NULL,
  rule_id VARCHAR(64) NOT NULL,
  allowed BIGINT NOT NULL,
  refused BIGINT NOT NULL,
  shadow_refused BIGINT NOT NULL,
  PRIMARY KEY (seconds, began, rule_id)
);
-- The row that a node locks while it adds counts, so that two nodes do not insert the same row.
INSERT INTO weir_traffic VALUES (0, 0, '', 0, 0, 0);
CREATE INDEX weir_traffic_of_rule ON weir_traffic (rule_id, seconds, began);

-- Live nodes, each with its reported state as JSON.
CREATE TABLE weir_node (
  name VARCHAR(200) PRIMARY KEY,
  seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
  body VARCHAR(100000) NOT NULL
);
