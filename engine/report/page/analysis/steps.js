// Steps in the order in which the host began them: one bar per step, by label, and a table.

const MOST_SERIES = 20;
let chart = null;

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
  const line = (name, value, color) =>
    element("tr", {}, element("th", {}, color ? swatch(color) : "", name), element("td", {}, value));
  const lines = series
    .map((one) => ({ ...one, ns: inSeries(step, one) }))
    .filter((one) => one.ns > 0n)
    .sort((a, b) => (a.ns < b.ns ? 1 : -1))
    .slice(0, 12)
    .map((one) => line(shortened(one.name, 60), `${humanTime(one.ns)} · ${share(one.ns, BigInt(step.total_ns), 1)}`, one.color));
  return element(
    "div",
    { className: "tip" },
    element("div", { className: "tip-head" }, stepName(step)),
    element("div", { className: "tip-title" }, shortened(printable(step.text || ""), 160)),
    element("table", {}, line("Total", humanTime(BigInt(step.total_ns))), line("Operations", grouped(step.instances)), ...lines),
  );
}

const inSeries = (step, one) =>
  sumOf(labelsOf(step).filter((part) => one.labels.has(part.label)).map((part) => part.total_ns));

function drawSteps(box, steps) {
  const unit = unitOf(largestOf(steps.map((step) => step.total_ns)));
  const series = stepSeries(steps);
  chart?.dispose();
  chart = echarts.init(box, null, { renderer: "canvas" });
  const line = ink("line");
  const faint = ink("faint");
  const most = 150; // more bars than these are too thin
  chart.setOption({
    animation: false,
    textStyle: { fontFamily: FONT },
    grid: { left: 64, right: 12, top: 22, bottom: steps.length > most ? 62 : 30 },
    tooltip: { ...tooltipLook(), formatter: ({ dataIndex }) => stepTip(steps[dataIndex], series) },
    dataZoom:
      steps.length > most
        ? [
            { type: "slider", startValue: 0, endValue: most - 1, height: 18, bottom: 6 },
            { type: "inside", zoomOnMouseWheel: "ctrl" },
          ]
        : [],
    xAxis: {
      type: "category",
      data: steps.map(stepName),
      axisLabel: { color: faint, hideOverlap: true },
      axisLine: { lineStyle: { color: line } },
      axisTick: { show: false },
    },
    yAxis: {
      type: "value",
      name: unit.name,
      nameTextStyle: { color: faint },
      axisLabel: { color: faint },
      splitLine: { lineStyle: { color: line } },
    },
    series: series.map((one) => ({
      name: one.name,
      type: "bar",
      stack: "all",
      barMaxWidth: 46,
      barCategoryGap: steps.length > 60 ? "8%" : "25%",
      itemStyle: { color: one.color },
      data: steps.map((step) => Number(inSeries(step, one)) / Number(unit.ns)),
    })),
  });
}

function stepsCard() {
  const byRun = groupBy(rowsOf("steps"), (row) => row.run);
  const withSteps = [...byRun.keys()];
  if (withSteps.length === 0) return null;
  if (!withSteps.includes(Number(state.run))) state.run = String(withSteps[0]);
  const at = Number(state.run);
  const steps = byRun.get(at);
  const charted = steps.length > 1 && dimensions.length > 0;
  const box = element("div", {
    className: "chart",
    role: "img",
    "aria-label": `Time of ${steps.length} steps by ${state.by}; the table below has the same numbers`,
  });
  const choice =
    withSteps.length > 1
      ? element(
          "select",
          { "aria-label": "Run whose steps are shown", onchange: (event) => update({ run: event.target.value }) },
          ...withSteps.map((run) => element("option", { value: String(run), selected: run === at }, shortIds[run])),
        )
      : null;
  const made = tableCard(
    "steps",
    "Steps",
    "in the order in which the host began them, with the operations that they launched",
    {
      rows: steps,
      search: ["text", "phase"],
      columns: [
        column("step_id", "#", "count"),
        column("phase", "Phase", "text"),
        ...present(steps, [
          column("step", "Step", "count"),
          column("layer", "Layer", "count"),
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
    labelLegend(steps),
    charted ? box : null,
  );
  if (choice) made.querySelector(".actions").prepend(choice);
  // The box has a width only after it is in the page.
  if (charted) requestAnimationFrame(() => drawSteps(box, steps));
  return made;
}
