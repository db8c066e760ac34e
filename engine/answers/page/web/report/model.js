// What the page of a report is about: sums of runs, labels by run, and rows of the table `kernels`.

/** What the devices are called. */
const DEVICE = page.device ?? "GPU";
const NON_GPU = `no ${DEVICE} busy`;
const UNCLASSIFIED = "unclassified";

const devicesByRun = groupBy(rowsOf("devices"), (row) => row.run);
const mostDevices = Math.max(0, ...[...devicesByRun.values()].map((rows) => rows.length));

/**
 * What the chart and the tables show. Of a time: `sum`, the name of the sum of all labels; `rest` and `whole`, what
 * completes it: sum + rest = whole. Busy times are added up over devices.
 */
const ofDevices = mostDevices < 2 ? "" : runs.length > 1 ? ", all devices" : `, ${mostDevices} devices`;
const MEASURES = [
  {
    name: "busy", title: "Busy", long: "Busy time", time: true, sum: `busy${ofDevices}`, rest: `idle${ofDevices}`, whole: `span${ofDevices}`,
    meaning: "the part of an operation that no earlier one on its device covers; adds up to the busy time of the devices",
  },
  {
    name: "elapsed", title: "Elapsed", long: "Elapsed time", time: true, sum: "elapsed", rest: NON_GPU, whole: "wall time or span",
    meaning: `the same over all devices together; adds up to the time in which any ${DEVICE} was busy`,
  },
  { name: "total", title: "Total", long: "Total time", time: true, sum: "total", meaning: "the sum of durations; operations at the same time add up" },
  { name: "share", title: "Share", long: "Share of busy time", meaning: "busy: the part of an operation that no earlier one on its device covers" },
  { name: "instances", title: "Instances", long: "Operations", sum: "operations", meaning: "how many kernels, copies and sets ran" },
];
const RESTS = MEASURES.flatMap(({ rest }) => rest ?? []);
const measureNamed = (name) => MEASURES.find((measure) => measure.name === name);

const sumsOf = ([elapsed, total, instances, busy]) => ({ elapsed: BigInt(elapsed), total: BigInt(total), instances: BigInt(instances), busy: BigInt(busy) });

for (const run of runs) {
  run.all = sumsOf([run.gpu_elapsed_ns, run.gpu_total_ns, run.operations, run.gpu_busy_ns]);
  const devicesSum = (column) => (devicesByRun.get(run.run) ?? []).reduce((sum, row) => sum + BigInt(row[column]), 0n);
  run.rest = { busy: devicesSum("idle_ns"), elapsed: BigInt(run.non_gpu_ns) };
  run.whole = { busy: devicesSum("span_ns"), elapsed: BigInt(run.wall_ns) };
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

/** Time without an operation is not drawn at first if it leaves the labels less than half the bar. */
const dwarfing = MEASURES.filter(({ name, rest }) => rest && runs.some((run) => run.rest[name] > run.all[name] && run.all[name] > 0n));

const DEFAULTS = {
  by: dimensions.includes(page.by) ? page.by : dimensions[0] || page.by,
  measure: measureNamed(page.measure)?.name ?? MEASURES[0].name,
  unit: "auto",
  hidden: new Set(dwarfing.map(({ rest }) => rest)),
  label: "",
  run: "",
  step_run: "0",
  search: "",
  sort: "", // the longest first, by the measure
  span: "", // of the timeline, as `from-to` in ns; empty: all
};

function checkState() {
  if (!dimensions.includes(state.by)) state.by = DEFAULTS.by;
  if (!measureNamed(state.measure)) state.measure = DEFAULTS.measure;
  if (state.run !== "" && !runs[Number(state.run)]) state.run = "";
  if (!/^\d+$/.test(state.step_run) || !runs[Number(state.step_run)]) state.step_run = "0";
  if (dimensions.length > 0 && !compact && !pivotOf(state.by).rows.some((row) => row.label === state.label)) state.label = "";
}

/** The time that is shown: that of the measure, or beside numbers of operations and shares the busy time. */
const shownTime = () => (measureNamed(state.measure).time ? state.measure : "busy");
const sortOf = () => state.sort || `-${shownTime()}_ns`;

/** The unit of sums: the one that fits the largest. */
function sumUnit() {
  return unitOf(largestOf(runs.map((run) => run.all[shownTime()])));
}
