// What is shown: the JSON of `kr analyze`, as it is, and how labels look.

const REST = "#8d939c";

/** JSON whose whole numbers beyond what a double holds become texts; BigInt reads both. */
function parseExact(text) {
  const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
  return JSON.parse(
    text.replace(token, (found) =>
      /^-?\d{16,}$/.test(found) && !Number.isSafeInteger(Number(found)) ? `"${found}"` : found,
    ),
  );
}

const page = parseExact(byId("data").textContent);
const data = page.analysis;
const runs = data.runs;

const looks = new Map(page.styles.map((style) => [`${style.dimension}\n${style.label}`, style]));
function lookOf(dimension, label) {
  return looks.get(`${dimension}\n${label}`) || { color: REST, title: "" };
}

/** Dimensions that steps and phases are labelled in; those that keep names are left to the tables. */
const dimensions = (() => {
  const found = [];
  for (const run of runs) {
    for (const part of [...(run.phases || []), ...(run.steps || [])]) {
      for (const name of Object.keys(part.labels || {})) {
        if (!found.includes(name)) found.push(name);
      }
    }
  }
  const first = ["substage", "stage"];
  return [...first.filter((name) => found.includes(name)), ...found.filter((name) => !first.includes(name))];
})();

/** What tells the runs apart: their ids without the words that all of them begin with. */
const shortIds = (() => {
  const ids = runs.map((run) => printable(run.id));
  if (ids.length < 2) return ids;
  let common = 0;
  while (ids.every((id) => id[common] !== undefined && id[common] === ids[0][common])) ++common;
  const word = ids[0].slice(0, common).lastIndexOf("_") + 1;
  return ids.map((id) => (word > 0 && id.length > word ? `…${id.slice(word)}` : id));
})();

const sumOf = (values) => values.reduce((sum, value) => sum + BigInt(value), 0n);
const largestOf = (values) => values.reduce((most, value) => (BigInt(value) > most ? BigInt(value) : most), 0n);

/** Devices of all runs, with their names as devices.js has them. */
const devices = runs.flatMap((run, at) =>
  (run.breakdown || []).map((device) => ({
    run: at,
    device: runs.length > 1 ? `${shortIds[at]} · ${device.device}` : device.device,
    name: device.name,
    span: device.span_ns,
    busy: device.busy_ns,
    compute: device.compute_ns,
    communication: device.communication_ns,
    exposed_communication: device.exposed_communication_ns,
    memory: device.memory_ns,
    exposed_memory: device.exposed_memory_ns,
    idle: device.idle_ns,
    operations: device.operations,
  })),
);

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

/** The reader's unit, or the one that fits the largest. */
function unitOf(largest) {
  return state.unit === "auto" ? columnUnit(largest) : UNITS.find((unit) => unit.name === state.unit);
}
