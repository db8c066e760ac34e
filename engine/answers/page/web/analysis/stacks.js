// Phases and steps by label: a bar in each row, and a chart of the steps of one run.

/** Dimensions in which phases and steps have labels. */
const dimensions = (() => {
  const found = Object.keys(page.phases || {});
  const first = ["substage", "stage"];
  return [...first.filter((name) => found.includes(name)), ...found.filter((name) => !first.includes(name))];
})();

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

const stepName = (step) => `${printable(step.phase)}${missing(step.step) ? "" : ` ${step.step}`}`;

function stepTip(step, { series, valueOf }) {
  const lines = series
    .map((one) => ({ ...one, ns: valueOf(step, one) }))
    .filter((one) => one.ns > 0n)
    .sort((a, b) => (a.ns < b.ns ? 1 : -1))
    .slice(0, 12)
    .map((one) => [[swatch(one.color), shortened(one.name, 60)], humanTime(one.ns), share(one.ns, BigInt(step.total_ns))]);
  return tip(
    [stepName(step)],
    [shortened(printable(step.text || ""), 160)],
    [["Total", humanTime(BigInt(step.total_ns))], ["Operations", grouped(step.instances)], ...lines],
  );
}

const MOST_BARS = 150; // more bars than these are too thin

function describeStack(zoom = { startValue: 0, endValue: MOST_BARS - 1 }) {
  const stack = shownSteps();
  const { rows: steps, series, valueOf } = stack;
  const unit = unitOf(largestOf(steps.map((step) => step.total_ns)));
  const zooms = steps.length > MOST_BARS;
  return {
    grid: { left: 64, right: 12, top: 22, bottom: zooms ? 62 : 30 },
    tooltip: tooltipLook(({ dataIndex }) => stepTip(steps[dataIndex], stack)),
    dataZoom: zooms ? zoomBars(zoom) : [],
    bars: steps.map(stepName),
    names: {
      axisLabel: { color: ink("faint"), hideOverlap: true },
      axisLine: { lineStyle: { color: ink("line") } },
    },
    values: { name: `work, ${unit.name}` },
    parts: series.map((one) => ({
      key: one.label,
      name: one.name,
      title: one.name,
      color: one.color,
      share: percentText(one.share),
      one,
      series: { barMaxWidth: 46, barCategoryGap: steps.length > 60 ? "8%" : "25%" },
    })),
    valueOf: ({ one }, at) => Number(valueOf(steps[at], one)) / Number(unit.ns),
  };
}

chart.setUp({ id: "chart", legend: "Labels shown in the chart", describe: describeStack });

/** Steps of the run that is chosen. */
const shownSteps = () => stackOf("steps", Number(state.run));

SHOWS.steps = (entry) => {
  const names = new Set(rowsOf("steps").map((row) => row.run));
  const withSteps = [...runs.keys()].filter((at) => names.has(runs[at].run));
  if (withSteps.length === 0) return null;
  if (!withSteps.includes(Number(state.run))) state.run = String(withSteps[0]);
  const at = Number(state.run);
  const stack = shownSteps();
  const charted = stack.rows.length > 1 && stack.series.length > 0;
  chart.box.setAttribute("aria-label", `Time of ${stack.rows.length} steps by ${state.by}; the table below has the same numbers`);
  const columns = ["step_id", "phase", "step", "layer", "batch", "tokens", "instances", "wall_ns", "total_ns", "span_ns", "busy_ns", "idle_ns", ...labelsColumn(stack), ["text", { title: "Annotation", kind: "text" }]];
  const made = SHOWS.table({ ...entry, rows: stack.rows, columns }, charted ? chart.legend : labelLegend(stack), charted ? chart.box : null);
  if (withSteps.length > 1) {
    const choice = element(
      "select",
      { "aria-label": "Run whose steps are shown", onchange: (event) => update({ run: event.target.value }) },
      ...withSteps.map((run) => element("option", { value: String(run), selected: run === at }, shortId(runs[run].run))),
    );
    made.querySelector(".actions").prepend(choice);
  }
  return made;
};
