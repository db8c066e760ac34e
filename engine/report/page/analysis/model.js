// What is shown: the tables of `kr analyze`, as `--format json` writes them, and how labels look.

const REST = "#8d939c";

/** Parses JSON; whole numbers that a double cannot represent become texts. BigInt reads both. */
function parseExact(text) {
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(
    text.replace(token, (found) =>
      /^-?\d{16,}$/.test(found) && !Number.isSafeInteger(Number(found)) ? `"${found}"` : found,
    ),
  );
}

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

/** Short names of the runs: without the words that all of them begin with. */
const shortIds = (() => {
  const ids = runs.map((run) => printable(run.run));
  if (ids.length < 2) return ids;
  let common = 0;
  while (ids.every((id) => id[common] !== undefined && id[common] === ids[0][common])) ++common;
  const word = ids[0].slice(0, common).lastIndexOf("_") + 1;
  return ids.map((id) => (word > 0 && id.length > word ? `…${id.slice(word)}` : id));
})();

const sumOf = (values) => values.reduce((sum, value) => sum + BigInt(value), 0n);
const largestOf = (values) => values.reduce((most, value) => (BigInt(value) > most ? BigInt(value) : most), 0n);

/** Devices of all runs, with the property names that devices.js uses. */
const devices = rowsOf("devices").map((row) => ({
  device: runs.length > 1 ? `${shortIds[row.run]} · ${row.device}` : row.device,
  name: row.device_name,
  span: row.span_ns,
  busy: row.busy_ns,
  compute: row.compute_ns,
  communication: row.communication_ns,
  exposed_communication: row.exposed_communication_ns,
  memory: row.memory_ns,
  exposed_memory: row.exposed_memory_ns,
  idle: row.idle_ns,
}));

const DEFAULTS = { by: dimensions[0] || "", unit: "auto", run: "0" };
const state = { ...DEFAULTS };

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  Object.assign(state, DEFAULTS);
  for (const name of Object.keys(DEFAULTS)) if (given.has(name)) state[name] = given.get(name);
  if (!dimensions.includes(state.by)) state.by = DEFAULTS.by;
  if (state.unit !== "auto" && !UNITS.some((unit) => unit.name === state.unit)) state.unit = "auto";
  if (!/^\d+$/.test(state.run) || !runs[Number(state.run)]) state.run = "0";
}

function writeAddress() {
  const address = new URLSearchParams();
  for (const name of Object.keys(DEFAULTS)) if (state[name] !== DEFAULTS[name]) address.set(name, state[name]);
  const text = address.toString();
  history.replaceState(null, "", text === "" ? location.pathname + location.search : `#${text}`);
}

/** The unit that the user chose, or the one that suits the largest value. */
function unitOf(largest) {
  return state.unit === "auto" ? columnUnit(largest) : UNITS.find((unit) => unit.name === state.unit);
}
