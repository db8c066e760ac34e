// The chart of the steps of one run, by label.

/** Dimensions in which phases and steps have labels. */
const dimensions = (() => {
  const found = Object.keys(page.phases || {});
  const first = ["substage", "stage"];
  return [...first.filter((name) => found.includes(name)), ...found.filter((name) => !first.includes(name))];
})();

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

SHOWS.steps = (entry) =>
  stepsCard(entry, "run", (stack) => {
    const charted = stack.rows.length > 1 && stack.series.length > 0;
    chart.box.setAttribute("aria-label", `Time of ${stack.rows.length} steps by ${state.by}; the table below has the same numbers`);
    return charted ? [chart.legend, chart.box] : [labelLegend(stack)];
  });
