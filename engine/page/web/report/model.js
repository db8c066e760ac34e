// The data of the page as it is asked for: sums are BigInt, texts stand once.

const data = JSON.parse(byId("data").textContent);

const NON_GPU = "CPU(non-GPU)";
const UNCLASSIFIED = "unclassified";

const MEASURES = [
  { name: "elapsed", title: "Elapsed", long: "GPU time", time: true },
  { name: "total", title: "Total", long: "Summed durations", time: true },
  { name: "share", title: "Share", long: "Share of GPU time" },
  { name: "instances", title: "Instances", long: "Operations" },
];

const sumsOf = ([elapsed, total, instances]) => ({ elapsed: BigInt(elapsed), total: BigInt(total), instances: BigInt(instances) });

const runs = data.runs.map((run) => ({ ...run, all: sumsOf(run.all), nonGpu: BigInt(run.non_gpu), elapsed: BigInt(run.elapsed) }));
const shortIds = shortIdsOf(runs.map((run) => run.id));
const someGpuWork = runs.some((run) => run.all.instances > 0n);
const gpuTime = sumOf(runs.map((run) => run.all.elapsed));

/** What a label is called and drawn in; `others` and what has no style are grey. */
const styles = new Map(
  data.styles.map(([dimension, label, title, color, doc]) => [`${dimension}\n${label}`, { title, color, doc }]),
);
const styleOf = (dimension, label) => styles.get(`${dimension}\n${label}`) || { title: "", color: "#8d939c", doc: "" };

const pivots = new Map();

/**
 * Labels by runs: `{label, all, cells}`, a cell a run. `rows` are all labels, the largest first and
 * `unclassified` last; `drawn` is what a chart shows of them, where one row is the rest.
 */
function pivotOf(dimension) {
  if (!pivots.has(dimension)) {
    const { drawn, rows, others } = data.pivots[dimension];
    const read = ([label, all, ...cells]) => ({ label, all: sumsOf(all), cells: cells.map(sumsOf) });
    const all = rows.map(read);
    const rest = others.map((row) => ({ ...read(row), others: true }));
    const last = rest.length > 0 && all.at(-1).label === UNCLASSIFIED ? [all.at(-1)] : [];
    pivots.set(dimension, { rows: all, drawn: [...all.slice(0, drawn), ...rest, ...last] });
  }
  return pivots.get(dimension);
}

/** The kernel table: columns as they come, a row by its number. */
const kernels = (() => {
  const count = runs.reduce((sum, run) => sum + run.kernels.name.length, 0);
  const table = { count, run: new Uint32Array(count), at: new Uint32Array(count) };
  for (const name of ["elapsed", "total", "instances", "min", "max", "average"]) {
    table[name] = new BigInt64Array(count);
  }
  let row = 0;
  runs.forEach((run, number) => {
    const columns = run.kernels;
    for (let at = 0; at < columns.name.length; ++at, ++row) {
      table.run[row] = number;
      table.at[row] = at;
      for (const name of ["elapsed", "total", "instances", "min", "max"]) {
        table[name][row] = BigInt(columns[name][at]);
      }
      const instances = table.instances[row];
      table.average[row] = instances > 0n ? table.total[row] / instances : 0n;
    }
  });
  table.name = (row) => data.texts[runs[table.run[row]].kernels.name[table.at[row]]];
  table.kind = (row) => data.kinds[runs[table.run[row]].kernels.kind[table.at[row]]];
  /** `[label, rule]` of a row in a dimension. */
  table.given = (row, dimension) => {
    const run = runs[table.run[row]];
    const place = run.dimensions.indexOf(dimension);
    if (place < 0) return [UNCLASSIFIED, ""];
    const at = table.at[row];
    return [data.texts[run.kernels.labels[place][at]], data.texts[run.kernels.rules[place][at]]];
  };
  table.label = (row, dimension) => table.given(row, dimension)[0];
  return table;
})();

/** Time off the GPU is not drawn at first where it would leave the labels less than half the bar. */
const dwarfed = runs.some((run) => run.nonGpu > run.all.elapsed && run.all.elapsed > 0n);

const DEFAULTS = {
  by: data.dimensions.includes(data.by) ? data.by : data.dimensions[0] || data.by,
  measure: "elapsed",
  unit: "auto",
  hidden: new Set(dwarfed ? [NON_GPU] : []),
  label: "",
  run: "",
  search: "",
  sort: "-elapsed",
};

function checkState() {
  if (!data.dimensions.includes(state.by)) state.by = DEFAULTS.by;
  if (!MEASURES.some((measure) => measure.name === state.measure)) state.measure = "elapsed";
  if (state.run !== "" && !runs[Number(state.run)]) state.run = "";
  if (!pivotOf(state.by).rows.some((row) => row.label === state.label)) state.label = "";
}

/** The unit of sums: the one that fits the largest. */
function sumUnit() {
  return unitOf(largestOf(runs.map((run) => (state.measure === "total" ? run.all.total : run.all.elapsed))));
}
