// Phases, steps and idle time, on the pages of reports and analyses.

/**
 * Labels of phases, or of the steps of a run: `series`, the largest first, where the last may stand
 * for all others, and `valueOf(row, one)`, the time of a series in a row of the table.
 */
function stackOf(table, run) {
  const phases = table === "phases";
  const keys = phases ? ["run", "phase"] : ["run", "step_id"];
  const rows = rowsOf(table).filter((row) => phases || row.run === runs[run].run);
  const { labels, others } = (phases ? page.phases : page.steps?.[run])?.[state.by] || { labels: [], others: [] };
  const times = new Map(
    rowsOf(phases ? "phase_labels" : "step_labels")
      .filter((row) => row.dimension === state.by)
      .map((row) => [`${keyOf(row, keys)}\n${row.label}`, BigInt(row.total_ns)]),
  );
  const rests = new Map(rows.map((row, at) => [row, BigInt(others[at] ?? 0)]));
  const series = labels.map((one, at) => {
    const isRest = others.length > 0 && at + 1 === labels.length;
    return { ...one, isRest, name: printable(one.label), color: isRest ? REST : lookOf(state.by, one.label).color };
  });
  const valueOf = (row, one) => (one.isRest ? rests.get(row) : times.get(`${keyOf(row, keys)}\n${one.label}`)) ?? 0n;
  return { rows, series, valueOf };
}

/** A column of bars by label, in the same order in all rows; none without labels. */
function labelsColumn({ rows, series, valueOf }) {
  if (series.length === 0) return [];
  const longest = largestOf(rows.map((row) => row.total_ns));
  const parts = (row) =>
    series
      .map((one) => ({ title: one.name, color: one.color, ns: valueOf(row, one) }))
      .filter(({ ns }) => ns > 0n)
      .map((one) => ({ ...one, share: ratio(one.ns, longest) }));
  return [{ name: "label_bars", title: state.by, kind: "bar", of: (row) => stackedBar(parts(row)) }];
}

const MOST_IN_LEGEND = 16;
const labelLegend = ({ series }) =>
  colorLegend(series.slice(0, MOST_IN_LEGEND).map(({ color, name }) => ({ color, text: name })), series.length - MOST_IN_LEGEND);

SHOWS.phases = (entry) => {
  const stack = stackOf("phases");
  return SHOWS.table({ ...entry, columns: [...entry.columns, ...labelsColumn(stack)] }, labelLegend(stack));
};

/** The causes of idle time as bars, above the calls that were running. */
SHOWS.idle = (entry) => SHOWS.table(entry, ...splitBars({ ...entry, table: "idle" }));

/**
 * The table of the steps of the run `state[run]`, and the choice of that run. `above(stack)` makes what is above it.
 */
function stepsCard(entry, run, above) {
  const names = new Set(rowsOf("steps").map((row) => row.run));
  const withSteps = [...runs.keys()].filter((at) => names.has(runs[at].run));
  if (withSteps.length === 0) return null;
  if (!withSteps.includes(Number(state[run]))) state[run] = String(withSteps[0]);
  const at = Number(state[run]);
  const stack = stackOf("steps", at);
  const columns = ["step_id", "phase", "step", "layer", "batch", "tokens", "instances", "wall_ns", "total_ns", "span_ns", "busy_ns", "idle_ns", ...labelsColumn(stack), ["text", { title: "Annotation", kind: "text" }]];
  const made = SHOWS.table({ ...entry, rows: stack.rows, columns }, ...above(stack));
  if (withSteps.length > 1) {
    const choice = element(
      "select",
      { "aria-label": "Run whose steps are shown", onchange: (event) => update({ [run]: event.target.value }) },
      ...withSteps.map((one) => element("option", { value: String(one), selected: one === at }, shortId(runs[one].run))),
    );
    made.querySelector(".actions").prepend(choice);
  }
  return made;
}

/** Without a chart; the colours are those of the phases above. */
SHOWS.step_table = (entry) => stepsCard(entry, "step_run", (stack) => (rowsOf("phases").length > 0 ? [] : [labelLegend(stack)]));
