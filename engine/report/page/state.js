// What the reader has chosen. It stands in the page's address, so that a link shows the same.

const DEFAULTS = {
  by: data.dimensions.includes(data.by) ? data.by : data.dimensions[0] || data.by,
  measure: "elapsed",
  unit: "auto",
  hidden: [],
  label: "",
  run: "",
  search: "",
  sort: "-elapsed",
};

const state = { ...DEFAULTS, hidden: new Set(startHidden()) };

/** Time off the GPU is not drawn at first where it would leave the labels less than half the bar. */
function startHidden() {
  const dwarfed = runs.some((run) => run.nonGpu > run.all.elapsed && run.all.elapsed > 0n);
  return dwarfed ? [NON_GPU] : [];
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of ["by", "measure", "unit", "label", "run", "search", "sort"]) {
    if (given.has(name)) state[name] = given.get(name);
  }
  if (given.has("hidden") || given.has("shown")) {
    state.hidden = new Set(given.getAll("hidden"));
  }
  if (!data.dimensions.includes(state.by)) state.by = DEFAULTS.by;
  if (!MEASURES.some((measure) => measure.name === state.measure)) state.measure = "elapsed";
  if (state.unit !== "auto" && !UNITS.some((unit) => unit.name === state.unit)) state.unit = "auto";
  if (state.run !== "" && !runs[Number(state.run)]) state.run = "";
}

function writeAddress() {
  const address = new URLSearchParams();
  for (const name of ["by", "measure", "unit", "label", "run", "search", "sort"]) {
    if (state[name] !== DEFAULTS[name]) address.set(name, state[name]);
  }
  const first = startHidden();
  if (state.hidden.size !== first.length || first.some((label) => !state.hidden.has(label))) {
    for (const label of state.hidden) address.append("hidden", label);
    if (state.hidden.size === 0) address.set("shown", "all");
  }
  const text = address.toString();
  history.replaceState(null, "", text === "" ? location.pathname + location.search : `#${text}`);
}

/** The unit of sums: the reader's, or the one that fits the largest. */
function sumUnit() {
  if (state.unit !== "auto") return UNITS.find((unit) => unit.name === state.unit);
  const largest = runs.reduce((most, run) => {
    const size = state.measure === "total" ? run.all.total : run.all.elapsed;
    return size > most ? size : most;
  }, 0n);
  return columnUnit(largest);
}
