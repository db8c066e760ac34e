// Steps in the order in which the host began them: one bar per step, by label, and a table.

const MOST_SERIES = 20;
let chart = null;
const stepChart = element("div", { className: "chart", role: "img" });
const stepLegend = legendBox("Labels shown in the chart");

/** Labels by their time in all steps; those after the first MOST_SERIES together as `others`. */
function stepSeries(steps) {
  const sums = new Map();
  for (const step of steps) {
    for (const one of labelsOf(step)) {
      sums.set(one.label, (sums.get(one.label) || 0n) + BigInt(one.total_ns));
    }
  }
  const order = [...sums].sort((a, b) => (a[1] < b[1] ? 1 : -1)).map(([label]) => label);
  const series = order.slice(0, MOST_SERIES).map((label) => ({
    name: printable(label),
    color: lookOf(state.by, label).color,
    labels: new Set([label]),
  }));
  if (order.length > MOST_SERIES) {
    series.push({ name: "others", color: REST, labels: new Set(order.slice(MOST_SERIES)) });
  }
  return series;
}

const stepName = (step) =>
  `${printable(step.phase)}${step.step === null || step.step === undefined ? "" : ` ${step.step}`}`;

function stepTip(step, series) {
  const lines = series
    .map((one) => ({ ...one, ns: inSeries(step, one) }))
    .filter((one) => one.ns > 0n)
    .sort((a, b) => (a.ns < b.ns ? 1 : -1))
    .slice(0, 12)
    .map((one) => [[swatch(one.color), shortened(one.name, 60)], humanTime(one.ns), share(one.ns, BigInt(step.total_ns), 1)]);
  return tip(
    [stepName(step)],
    [shortened(printable(step.text || ""), 160)],
    [["Total", humanTime(BigInt(step.total_ns))], ["Operations", grouped(step.instances)], ...lines],
  );
}

const inSeries = (step, one) =>
  sumOf(labelsOf(step).filter((part) => one.labels.has(part.label)).map((part) => part.total_ns));

const MOST_BARS = 150; // more bars than these are too thin

function stepsOption(steps, zoom = { startValue: 0, endValue: MOST_BARS - 1 }) {
  const unit = unitOf(largestOf(steps.map((step) => step.total_ns)));
  const series = stepSeries(steps);
  const zooms = steps.length > MOST_BARS;
  return {
    grid: { left: 64, right: 12, top: 22, bottom: zooms ? 62 : 30 },
    tooltip: tooltipLook(({ dataIndex }) => stepTip(steps[dataIndex], series)),
    dataZoom: zooms ? zoomBars(zoom) : [],
    xAxis: {
      type: "category",
      data: steps.map(stepName),
      axisLabel: { color: ink("faint"), hideOverlap: true },
      axisLine: { lineStyle: { color: ink("line") } },
      axisTick: { show: false },
    },
    yAxis: valueAxis({ name: unit.name }),
    series: series
      .filter((one) => !state.hidden.has(one.name))
      .map((one) =>
        stackedSeries(
          one.name,
          one.color,
          steps.map((step) => Number(inSeries(step, one)) / Number(unit.ns)),
          { barMaxWidth: 46, barCategoryGap: steps.length > 60 ? "8%" : "25%" },
        ),
      ),
  };
}

/** Steps of the run that is chosen. */
const stepsShown = () => rowsOf("steps").filter((row) => row.run === Number(state.run));

/** The box of the chart has a width only after it is in the page. */
function drawSteps() {
  if (!stepChart.isConnected) return;
  if (chart === null) chart = new Chart(stepChart, (zoom) => stepsOption(stepsShown(), zoom));
  chart.draw();
  const series = stepSeries(stepsShown());
  const sums = series.map((one) => sumOf(stepsShown().map((step) => inSeries(step, one))));
  const whole = sumOf(sums);
  const items = series.map((one, at) => ({ ...one, key: one.name, title: one.name, share: share(sums[at], whole, 1) }));
  drawLegend(stepLegend, items, state.hidden, (hidden) => update({ hidden }));
}

function stepsCard() {
  const byRun = groupBy(rowsOf("steps"), (row) => row.run);
  const withSteps = [...byRun.keys()];
  if (withSteps.length === 0) return null;
  if (!withSteps.includes(Number(state.run))) state.run = String(withSteps[0]);
  const at = Number(state.run);
  const steps = byRun.get(at);
  const charted = steps.length > 1 && dimensions.length > 0;
  stepChart.setAttribute("aria-label", `Time of ${steps.length} steps by ${state.by}; the table below has the same numbers`);
  const choice =
    withSteps.length > 1
      ? element(
          "select",
          { "aria-label": "Run whose steps are shown", onchange: (event) => update({ run: event.target.value }) },
          ...withSteps.map((run) => element("option", { value: String(run), selected: run === at }, shortIds[run])),
        )
      : null;
  const made = rowsCard(
    "steps",
    "Steps",
    "in the order in which the host began them, with the operations that they launched",
    {
      rows: steps,
      searched: ["text", "phase"],
      columns: [
        column("step_id", "#", "id"),
        column("phase", "Phase", "text"),
        ...present(steps, [
          column("step", "Step", "id"),
          column("layer", "Layer", "id"),
          column("batch", "Requests", "count"),
          column("tokens", "Tokens", "count"),
        ]),
        column("instances", "Operations", "count"),
        column("total_ns", "Total", "time"),
        column("span_ns", "Span", "time"),
        column("busy_ns", "Busy", "time"),
        column("idle_ns", "Idle", "time"),
        ...labelsColumns(steps),
        column("text", "Annotation", "text"),
      ],
    },
    charted ? stepLegend : labelLegend(steps),
    charted ? stepChart : null,
  );
  if (choice) made.querySelector(".actions").prepend(choice);
  return made;
}
