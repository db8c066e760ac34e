// The choices of the user.

const METRICS = [
  { name: "cuda_time_ms", title: "Time" },
  { name: "pct_cuda_time", title: "Share" },
  { name: "invocations", title: "Calls" },
];
const ROWS = [
  { name: "kernels", title: "Kernels" },
  { name: "modules", title: "Modules" },
  { name: "all", title: "Kernels and modules" },
];

/** The phase with the most time: times of different phases say little together. */
function largestPhase() {
  let largest = 0;
  data.phases.forEach((_, at) => {
    if (BigInt(data.phase_ns[at]) > BigInt(data.phase_ns[largest])) largest = at;
  });
  return data.phases[largest] ?? ALL;
}

const DEFAULTS = {
  phase: data.all_in_one === 1 ? ALL : largestPhase(),
  step: "", // the number of a bar; empty: all steps of the phase
  place: "", // that the tree is zoomed to; empty: all
  metric: METRICS.some(({ name }) => name === data.metric) ? data.metric : METRICS[0].name,
  merge: MERGES ? "1" : "0",
  rows: "kernels",
  search: "",
  sort: "-ns",
  unit: "auto",
  hidden: new Set(),
};

function checkState() {
  if (state.phase !== ALL && !data.phases.includes(state.phase)) state.phase = ALL;
  if (!METRICS.some(({ name }) => name === state.metric)) state.metric = DEFAULTS.metric;
  if (!ROWS.some(({ name }) => name === state.rows)) state.rows = DEFAULTS.rows;
  if (!MERGES) state.merge = "0";
  if (!/^\d+$/.test(state.step) || !steps[Number(state.step)]) state.step = "";
  if (!/^\d+$/.test(state.place) || !(Number(state.place) < data.merged_of.length)) state.place = "";
}

/** The step chosen, or null. */
function chosenStep() {
  return state.step === "" ? null : steps[Number(state.step)];
}

/** What the sums are of if no step is chosen. */
function allName() {
  return state.phase === ALL ? "all steps" : `all steps of ${shortened(printable(state.phase), 40)}`;
}
