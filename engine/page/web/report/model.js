// What the page of a report is about: sums of runs, labels by run, and rows of the table `kernels`.

const NON_GPU = "no GPU busy";
const UNCLASSIFIED = "unclassified";

/** Of a run with several devices, the busy time of all of them differs from the time in which any was busy. */
const manyDevices = [...groupBy(rowsOf("devices"), (row) => row.run).values()].some((rows) => rows.length > 1);

const MEASURES = [
  ...(manyDevices ? [{ name: "busy", title: "Busy", long: "Busy time of all devices", time: true }] : []),
  { name: "elapsed", title: "Elapsed", long: "GPU time", time: true },
  { name: "total", title: "Total", long: "Sum of durations", time: true },
  { name: "share", title: "Share", long: manyDevices ? "Share of busy time" : "Share of GPU time" },
  { name: "instances", title: "Instances", long: "Operations" },
];

const sumsOf = ([elapsed, total, instances, busy]) => ({ elapsed: BigInt(elapsed), total: BigInt(total), instances: BigInt(instances), busy: BigInt(busy) });

for (const run of runs) {
  run.all = sumsOf([run.gpu_elapsed_ns, run.gpu_total_ns, run.operations, run.gpu_busy_ns]);
  run.nonGpu = BigInt(run.non_gpu_ns);
}
/** Of many ranks a page has no labels and kernels of each. */
const compact = page.pivots === undefined;
const allRuns = sumsOf(page.all_runs);
const dimensions = Object.keys(page.dimensions);

const pivots = new Map();

/**
 * Labels by run: `{label, all, cells}`, one cell per run. `rows` are all labels, the largest first and
 * `unclassified` last; `drawn` are those of the chart, where one row may stand for all others.
 */
function pivotOf(dimension) {
  if (!pivots.has(dimension)) {
    const { drawn, rows, others } = page.pivots[dimension];
    const read = ([label, all, ...cells]) => ({ label, all: sumsOf(all), cells: cells.map(sumsOf) });
    const all = rows.map(read);
    const rest = others.map((row) => ({ ...read(row), others: true }));
    const last = rest.length > 0 && all.at(-1).label === UNCLASSIFIED ? [all.at(-1)] : [];
    pivots.set(dimension, { rows: all, drawn: [...all.slice(0, drawn), ...rest, ...last] });
  }
  return pivots.get(dimension);
}

/** Rows of kernels, with the number of their run, and their place among its rows. */
const kernels = rowsOf("kernels");
const runNumbers = new Map(runs.map((run, at) => [run.run, at]));
const counts = runs.map(() => 0);
for (const row of kernels) {
  row.number = runNumbers.get(row.run);
  row.at = counts[row.number]++;
}
const labelOf = (row, dimension) => row[page.dimensions[dimension]] ?? UNCLASSIFIED;
const ruleOf = (row, dimension) => page.rules.texts[page.rules.runs[row.number][dimension]?.[row.at]] || "";

/** Time off the GPU is not drawn at first if it leaves the labels less than half the bar. */
const dwarfed = runs.some((run) => run.nonGpu > run.all.elapsed && run.all.elapsed > 0n);

const DEFAULTS = {
  by: dimensions.includes(page.by) ? page.by : dimensions[0] || page.by,
  measure: MEASURES[0].name,
  unit: "auto",
  hidden: new Set(dwarfed ? [NON_GPU] : []),
  label: "",
  run: "",
  search: "",
  sort: manyDevices ? "-busy_ns" : "-elapsed_ns",
  span: "", // of the timeline, as `from-to` in ns; empty: all
};

function checkState() {
  if (!dimensions.includes(state.by)) state.by = DEFAULTS.by;
  if (!MEASURES.some((measure) => measure.name === state.measure)) state.measure = DEFAULTS.measure;
  if (state.run !== "" && !runs[Number(state.run)]) state.run = "";
  if (dimensions.length > 0 && !compact && !pivotOf(state.by).rows.some((row) => row.label === state.label)) state.label = "";
}

/** The unit of sums: the one that fits the largest. */
function sumUnit() {
  return unitOf(largestOf(runs.map((run) => (["total", "busy"].includes(state.measure) ? run.all[state.measure] : run.all.elapsed))));
}
