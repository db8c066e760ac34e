// The schema of SqliteReport. docs/exports.md has it too, and a test holds the two together.
#include "report/sqlite_report.hpp"

namespace kr {

const char* const sqlite_tables = R"(
CREATE TABLE info (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE runs (
  run_id INTEGER PRIMARY KEY,
  run TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  format TEXT NOT NULL,
  engine TEXT NOT NULL,
  model TEXT NOT NULL,
  why TEXT NOT NULL,
  operations INTEGER NOT NULL,
  gpu_elapsed_ns INTEGER NOT NULL,
  gpu_total_ns INTEGER NOT NULL,
  elapsed_ns INTEGER NOT NULL,
  elapsed_from TEXT NOT NULL CHECK (elapsed_from IN ('user', 'span')),
  non_gpu_ns INTEGER NOT NULL,
  inexact TEXT
);
CREATE TABLE warnings (
  run_id INTEGER NOT NULL REFERENCES runs,
  warning TEXT NOT NULL
);
CREATE TABLE losses (
  run_id INTEGER NOT NULL REFERENCES runs,
  what TEXT NOT NULL,
  count INTEGER NOT NULL,
  first_offset INTEGER NOT NULL
);
CREATE TABLE devices (
  run_id INTEGER NOT NULL REFERENCES runs,
  device INTEGER NOT NULL,
  name TEXT NOT NULL,
  operations INTEGER NOT NULL,
  span_ns INTEGER NOT NULL,
  busy_ns INTEGER NOT NULL,
  compute_ns INTEGER NOT NULL,
  communication_ns INTEGER NOT NULL,
  exposed_communication_ns INTEGER NOT NULL,
  memory_ns INTEGER NOT NULL,
  exposed_memory_ns INTEGER NOT NULL,
  idle_ns INTEGER NOT NULL,
  PRIMARY KEY (run_id, device)
) WITHOUT ROWID;
CREATE TABLE labels (
  label_id INTEGER PRIMARY KEY,
  dimension TEXT NOT NULL,
  label TEXT NOT NULL,
  title TEXT,
  color TEXT NOT NULL,
  doc TEXT,
  UNIQUE (dimension, label)
);
CREATE TABLE names (
  name_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs,
  name TEXT NOT NULL,
  operation TEXT NOT NULL CHECK (operation IN ('kernel', 'memcpy', 'memset')),
  instances INTEGER NOT NULL,
  elapsed_ns INTEGER NOT NULL,
  total_ns INTEGER NOT NULL,
  min_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL
);
CREATE TABLE name_labels (
  name_id INTEGER NOT NULL REFERENCES names,
  dimension TEXT NOT NULL,
  label_id INTEGER NOT NULL REFERENCES labels,
  rule TEXT,
  PRIMARY KEY (name_id, dimension)
) WITHOUT ROWID;
CREATE TABLE threads (
  thread_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs,
  process TEXT NOT NULL,
  thread TEXT NOT NULL
);
CREATE TABLE launches (
  launch_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs,
  thread_id INTEGER NOT NULL REFERENCES threads,
  api TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('runtime', 'driver')),
  correlation INTEGER,
  start_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL
);
CREATE TABLE ranges (
  range_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs,
  thread_id INTEGER NOT NULL REFERENCES threads,
  type TEXT NOT NULL CHECK (type IN ('module', 'annotation')),
  name TEXT NOT NULL,
  start_ns INTEGER NOT NULL,
  end_ns INTEGER NOT NULL,
  parent_id INTEGER REFERENCES ranges
);
CREATE TABLE steps (
  step_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs,
  phase TEXT NOT NULL,
  step INTEGER,
  layer INTEGER,
  range_id INTEGER NOT NULL REFERENCES ranges,
  instances INTEGER NOT NULL,
  total_ns INTEGER NOT NULL
);
CREATE TABLE layers (
  layer_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs,
  step_id INTEGER REFERENCES steps,
  device INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  number INTEGER NOT NULL,
  evidence TEXT NOT NULL,
  instances INTEGER NOT NULL,
  total_ns INTEGER NOT NULL
);
CREATE TABLE operations (
  operation_id INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs,
  name_id INTEGER NOT NULL REFERENCES names,
  device INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  start_ns INTEGER NOT NULL,
  duration_ns INTEGER NOT NULL,
  elapsed_ns INTEGER NOT NULL,
  launch_id INTEGER REFERENCES launches,
  module_id INTEGER REFERENCES ranges,
  step_id INTEGER REFERENCES steps,
  layer_id INTEGER REFERENCES layers
);
)";

const char* const sqlite_indices = R"(
CREATE INDEX names_by_run ON names (run_id, total_ns);
CREATE INDEX name_labels_by_label ON name_labels (label_id);
CREATE INDEX operations_by_name ON operations (name_id);
CREATE INDEX operations_by_start ON operations (run_id, start_ns);
CREATE INDEX operations_by_launch ON operations (launch_id) WHERE launch_id IS NOT NULL;
CREATE INDEX operations_by_step ON operations (step_id) WHERE step_id IS NOT NULL;
CREATE VIEW time_by_label AS
  SELECT run, dimension, label, color, sum(names.instances) AS instances,
         sum(names.elapsed_ns) AS elapsed_ns, sum(names.total_ns) AS total_ns
  FROM names JOIN runs USING (run_id) JOIN name_labels USING (name_id)
       JOIN labels USING (label_id, dimension)
  GROUP BY run_id, dimension, label_id;
CREATE VIEW kernels AS
  SELECT run, name, operation,
         (SELECT label FROM name_labels n JOIN labels USING (label_id)
          WHERE n.name_id = names.name_id AND n.dimension = 'stage') AS stage,
         (SELECT label FROM name_labels n JOIN labels USING (label_id)
          WHERE n.name_id = names.name_id AND n.dimension = 'substage') AS substage,
         (SELECT label FROM name_labels n JOIN labels USING (label_id)
          WHERE n.name_id = names.name_id AND n.dimension = 'kind') AS kind,
         (SELECT rule FROM name_labels n
          WHERE n.name_id = names.name_id AND n.dimension = 'substage') AS rule,
         instances, names.elapsed_ns AS elapsed_ns, total_ns, min_ns, max_ns,
         1.0 * total_ns / instances AS mean_ns, name_id
  FROM names JOIN runs USING (run_id);
CREATE VIEW labelled_operations AS
  SELECT operations.operation_id, kernels.run, kernels.name, kernels.operation, kernels.stage,
         kernels.substage, kernels.kind, operations.device, operations.stream,
         operations.start_ns, operations.duration_ns, operations.elapsed_ns,
         modules.name AS module, steps.phase, steps.step, layers.number AS layer
  FROM operations JOIN kernels USING (name_id)
       LEFT JOIN ranges AS modules ON modules.range_id = operations.module_id
       LEFT JOIN steps ON steps.step_id = operations.step_id
       LEFT JOIN layers ON layers.layer_id = operations.layer_id;
CREATE VIEW phases AS
  SELECT run, phase, count(*) AS steps, sum(steps.instances) AS instances,
         sum(steps.total_ns) AS total_ns
  FROM steps JOIN runs USING (run_id)
  GROUP BY run_id, phase;
CREATE VIEW step_labels AS
  SELECT run, step_id, phase, step, dimension, label, count(*) AS instances,
         sum(duration_ns) AS total_ns
  FROM operations JOIN steps USING (step_id, run_id) JOIN runs USING (run_id)
       JOIN name_labels USING (name_id) JOIN labels USING (label_id, dimension)
  GROUP BY step_id, dimension, label_id;
CREATE VIEW launch_delays AS
  SELECT run, api, count(DISTINCT launch_id) AS launches, count(*) AS operations,
         avg(operations.start_ns - launches.start_ns) AS delay_mean_ns
  FROM operations JOIN launches USING (launch_id) JOIN runs ON runs.run_id = operations.run_id
  GROUP BY runs.run_id, api;
)";

}  // namespace kr
