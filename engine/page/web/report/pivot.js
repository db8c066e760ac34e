// Labels by run. One run: all measures side by side; several: the chosen measure, one column per run.

const MOST_LABELS = 60;

const comparing = () => runs.length === 2 && state.measure !== "share";
const sizeOf = (sum) => sum[state.measure === "share" ? "busy" : state.measure];

/** Columns of a measure of one run; rows without it are empty. */
function measureColumn(measure, run, at, more) {
  const { title, time } = MEASURES.find(({ name }) => name === measure);
  const here = (row) => row.cells[at] !== null && (runs.length === 1 || row.off || row.cells[at].instances > 0n);
  const color = (row) => (row.off || row.all === null ? undefined : lookOf(state.by, row.label).color);
  if (measure === "share") {
    const part = (row) => (here(row) && !row.off ? [row.cells[at].busy, run.all.busy] : null);
    return { name: `share ${at}`, title, kind: "part", of: part, track: color, ...more };
  }
  const of = (row) => (here(row) && (!row.off || measure === "elapsed") ? row.cells[at][measure] : null);
  return {
    name: `${measure} ${at}`,
    title,
    kind: time ? "time" : "count",
    unit: time ? sumUnit() : undefined,
    of,
    beside: runs.length > 1 ? (row) => (row.off ? "" : share(of(row), run.all[measure])) : undefined,
    ...more,
  };
}

function pivotColumns() {
  const label = {
    name: "label",
    title: state.by,
    kind: "text",
    of: (row) => row.label,
    swatch: (row) => (row.foot ? "transparent" : lookOf(state.by, row.label).color),
    title_of: (row) => (row.foot ? "" : "Show its kernels"),
    after: (row) => printable(lookOf(state.by, row.label).title),
  };
  if (runs.length === 1) {
    return [label, ...(manyDevices ? ["busy", "share", "elapsed", "total", "instances"] : ["elapsed", "share", "total", "instances"]).map((measure) => measureColumn(measure, runs[0], 0, {}))];
  }
  const { title } = MEASURES.find(({ name }) => name === state.measure);
  const columns = runs.map((run, at) =>
    measureColumn(state.measure, run, at, {
      title: shortened(printable(shortId(run.run)), 36),
      csv_title: `${run.run} ${title.toLowerCase()}`,
      hint: printable(run.run),
      group: title,
    }),
  );
  if (comparing()) {
    const change = (row) => sizeOf(row.cells[1]) - sizeOf(row.cells[0]);
    const part = (row) => (sizeOf(row.cells[0]) === 0n ? "" : `${change(row) > 0n ? "+" : ""}${shortPercent(100 * Number(change(row)) / Number(sizeOf(row.cells[0])))} %`);
    const there = (row) => !row.off || state.measure === "elapsed";
    columns.push({
      name: "change",
      title: "Change",
      kind: state.measure === "instances" ? "count" : "time",
      unit: sumUnit(),
      signed: true,
      of: (row) => (there(row) ? change(row) : null),
      beside: part,
    });
  }
  return [label, ...columns];
}

/** GPU time, the time in which no GPU was busy, and both. */
function pivotFoot() {
  const off = (label, of) => ({ label, foot: true, off: true, all: null, className: "off", cells: runs.map((run) => ({ elapsed: of(run), total: 0n, instances: 0n, busy: 0n })) });
  return [
    { label: "GPU time", foot: true, all: null, className: "sum", cells: runs.map((run) => run.all) },
    off(NON_GPU, (run) => run.nonGpu),
    off("wall time or span", (run) => run.all.elapsed + run.nonGpu),
  ];
}

const pivotTable = new DataTable({
  title: "Labels",
  file: "labels",
  noun: "label",
  first: MOST_LABELS,
  rows: [],
  columns: [],
  className: (row) => row.className || (state.hidden.has(row.label) ? "strong hidden-label" : "strong"),
  press: (row) => () => {
    update({ label: row.label, run: "" });
    byId("kernels").scrollIntoView({ behavior: "smooth", block: "start" });
  },
});

const pivotCard = tableCard(pivotTable, "Labels", "");
SHOWS.pivot = () => (someGpuWork && !compact ? pivotCard : null);

function drawPivot() {
  pivotTable.set({ rows: pivotOf(state.by).rows, columns: pivotColumns(), foot: pivotFoot() });
}
