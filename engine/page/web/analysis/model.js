// What is shown: the tables of `kr analyze`, as `--format json` writes them, and how labels look.

const REST = "#8d939c";

const page = parseExact(byId("data").textContent);
const { runs, notes, tables } = page.analysis;

// Rows name their run; the page counts runs from 0.
const runNumbers = new Map(runs.map((run, at) => [run.run, at]));
for (const rows of Object.values(tables)) {
  for (const row of rows) {
    if ("run" in row) row.run = runNumbers.get(row.run);
  }
}

/** Rows of a table, of all runs; none if the data does not contain the table. */
const rowsOf = (table) => tables[table] || [];

/** Rows with the same key, by key. */
function groupBy(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}

const looks = new Map(page.styles.map((style) => [`${style.dimension}\n${style.label}`, style]));
function lookOf(dimension, label) {
  return looks.get(`${dimension}\n${label}`) || { color: REST, title: "" };
}

/** Gives each row of a table its labels: rows of the table `labels`, by dimension. */
function addLabels(table, labels, keyOf) {
  const groups = groupBy(rowsOf(labels), keyOf);
  for (const row of rowsOf(table)) {
    row.labels = groupBy(groups.get(keyOf(row)) || [], (one) => one.dimension);
  }
}
addLabels("phases", "phase_labels", (row) => `${row.run}\n${row.phase}`);
addLabels("steps", "step_labels", (row) => `${row.run}\n${row.step_id}`);

/** Labels of a phase or step in the dimension that is chosen. */
const labelsOf = (row) => row.labels.get(state.by) || [];

/** Dimensions in which phases and steps have labels. */
const dimensions = (() => {
  const labels = [...rowsOf("phase_labels"), ...rowsOf("step_labels")];
  const found = [...new Set(labels.map((row) => row.dimension))];
  const first = ["substage", "stage"];
  return [...first.filter((name) => found.includes(name)), ...found.filter((name) => !first.includes(name))];
})();

const shortIds = shortIdsOf(runs.map((run) => printable(run.run)));

const DEFAULTS = { by: dimensions[0] || "", unit: "auto", run: "0", hidden: new Set() };

function checkState() {
  if (!dimensions.includes(state.by)) state.by = DEFAULTS.by;
  if (!/^\d+$/.test(state.run) || !runs[Number(state.run)]) state.run = "0";
}
