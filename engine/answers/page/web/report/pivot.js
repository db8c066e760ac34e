// Labels by run, in the measure that is chosen. One run: with the share of the same column; several: one column per run.

const MOST_LABELS = 60;

const comparing = () => runs.length === 2 && state.measure !== "share";
const sizeOf = (sum) => sum[state.measure === "share" ? "busy" : state.measure] ?? 0n;

/** Columns of a measure of one run; rows without it are empty. A share is of the measure `part`. */
function measureColumn(measure, run, at, more, part = "busy") {
  const { title, time } = measureNamed(measure);
  const here = (row) => row.cells[at] !== null && (runs.length === 1 || row.foot || row.cells[at].instances > 0n);
  const color = (row) => (row.foot ? undefined : lookOf(state.by, row.label).color);
  if (measure === "share") {
    const share = (row) => (here(row) && !row.off ? [row.cells[at][part], run.all[part]] : null);
    return { name: `share ${at}`, title, kind: "part", of: share, track: color, ...more };
  }
  const of = (row) => (here(row) && (!row.off || row.off === measure) ? row.cells[at][measure] : null);
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
    return [label, ...[shownTime(), "share", "instances"].map((measure) => measureColumn(measure, runs[0], 0, {}, shownTime()))];
  }
  const { title } = measureNamed(state.measure);
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
    columns.push({
      name: "change",
      title: "Change",
      kind: state.measure === "instances" ? "count" : "time",
      unit: sumUnit(),
      signed: true,
      of: change,
      beside: part,
    });
  }
  return [label, ...columns];
}

/** The sum of the labels, and what completes it. */
function pivotFoot() {
  const shown = runs.length === 1 || state.measure === "share" ? shownTime() : state.measure;
  const { sum, rest, whole } = measureNamed(shown);
  const row = (label, className, of) => ({ label, foot: true, off: shown, className, cells: runs.map((run) => ({ [shown]: of(run) })) });
  return [
    { label: sum, foot: true, className: "sum", cells: runs.map((run) => run.all) },
    ...(rest && state.measure !== "share" ? [row(rest, "off", (run) => run.rest[shown]), row(wholeName(whole), "off", (run) => run.whole[shown])] : []),
  ];
}

/** Of one run, what its wall time is. */
const wholeName = (name) =>
  name === "wall time or span" && runs.length === 1 ? (runs[0].wall_from === "user" ? "wall time" : "span of the trace") : name;

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
