// The data of the page as it is asked for: sums are BigInt, texts stand once.

const data = JSON.parse(byId("data").textContent);

const NON_GPU = "CPU(non-GPU)";
const UNCLASSIFIED = "unclassified";
const OTHERS = "others";

const MEASURES = [
  { name: "elapsed", title: "Elapsed", time: true },
  { name: "total", title: "Total", time: true },
  { name: "share", title: "Share", time: false },
  { name: "instances", title: "Instances", time: false },
];

const EMPTY = { elapsed: 0n, total: 0n, instances: 0n };

function sumOf(parts) {
  return { elapsed: BigInt(parts[0]), total: BigInt(parts[1]), instances: BigInt(parts[2]) };
}

function added(a, b) {
  return {
    elapsed: a.elapsed + b.elapsed,
    total: a.total + b.total,
    instances: a.instances + b.instances,
  };
}

const runs = data.runs.map((run) => ({
  ...run,
  all: sumOf(run.all),
  nonGpu: BigInt(run.non_gpu),
  elapsed: BigInt(run.elapsed),
  labels: new Map(
    run.dimensions.map((dimension) => [
      dimension.name,
      new Map(dimension.labels.map(([label, ...sum]) => [label, sumOf(sum)])),
    ]),
  ),
}));

const someGpuWork = runs.some((run) => run.all.instances > 0n);

/** What a label is called and drawn in; `others` and what has no style are grey. */
const styles = new Map(
  data.styles.map(([dimension, label, title, color, doc]) => [
    `${dimension}\n${label}`,
    { title, color, doc },
  ]),
);
function styleOf(dimension, label) {
  return styles.get(`${dimension}\n${label}`) || { title: "", color: "#8d939c", doc: "" };
}

const pivots = new Map(); // made once, asked for by chart, legend, table and filter

/**
 * Labels by runs: `{label, cells, all}`, a cell a run. The largest first, `unclassified` last. A run
 * without the dimension is unclassified as a whole.
 */
function pivotRows(dimension, measure) {
  const key = `${dimension}\n${measure}`;
  if (!pivots.has(key)) pivots.set(key, makePivot(dimension, measure));
  return pivots.get(key);
}

function makePivot(dimension, measure) {
  const rows = new Map();
  const put = (label, run, sum) => {
    if (!rows.has(label)) rows.set(label, { label, cells: runs.map(() => EMPTY), all: EMPTY });
    const row = rows.get(label);
    row.cells[run] = added(row.cells[run], sum);
    row.all = added(row.all, sum);
  };
  runs.forEach((run, at) => {
    const labels = run.labels.get(dimension);
    if (labels) labels.forEach((sum, label) => put(label, at, sum));
    else if (run.all.instances > 0n) put(UNCLASSIFIED, at, run.all);
  });
  const size = (row) => row.all[measure === "share" ? "elapsed" : measure];
  return [...rows.values()].sort((a, b) => {
    if ((a.label === UNCLASSIFIED) !== (b.label === UNCLASSIFIED)) {
      return a.label === UNCLASSIFIED ? 1 : -1;
    }
    if (size(a) !== size(b)) return size(a) > size(b) ? -1 : 1;
    return a.label < b.label ? -1 : 1;
  });
}

/** The first `limit` rows, and the rest as one row `others` before `unclassified`. */
function folded(rows, limit) {
  if (rows.length <= limit) return rows;
  const last = rows.at(-1).label === UNCLASSIFIED ? [rows.at(-1)] : [];
  const labels = rows.slice(0, rows.length - last.length);
  const rest = labels.slice(limit - 1);
  if (rest.length < 2) return rows;
  const others = rest.reduce(
    (sum, row) => ({
      ...sum,
      cells: sum.cells.map((cell, run) => added(cell, row.cells[run])),
      all: added(sum.all, row.all),
    }),
    { label: OTHERS, count: rest.length, cells: runs.map(() => EMPTY), all: EMPTY },
  );
  return [...labels.slice(0, limit - 1), others, ...last];
}

/** A cell of the measure as text, without its unit. */
function measureText(sum, run, measure, unit) {
  if (measure === "share") return share(sum.elapsed, run.all.elapsed);
  if (measure === "instances") return grouped(sum.instances);
  return exactParts(sum[measure], unit).join("");
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
    const place = run.dimensions.findIndex((one) => one.name === dimension);
    if (place < 0) return [UNCLASSIFIED, ""];
    const at = table.at[row];
    return [data.texts[run.kernels.labels[place][at]], data.texts[run.kernels.rules[place][at]]];
  };
  table.label = (row, dimension) => table.given(row, dimension)[0];
  return table;
})();
