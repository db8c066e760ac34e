// Stacked bars by step. A click anywhere above a step chooses it.

const MOST_TOTALS = 26; // bars that have their total on top
const MOST_DIMMED = 400; // bars that fade beside the one chosen
const MOST_APART = 800; // bars that are all drawn; of more, one a pixel
const MOST_NAMES = 14; // of steps below the bars

let chart = null;
let barSteps = []; // in the chart
let barCells = []; // what they are made of

const partOf = (cell) => (state.metric === "invocations" ? cell.calls : cell.ns);

function barUnit() {
  return columnUnit(barSteps.reduce((most, step) => (step.total > most ? step.total : most), 0n));
}

/** Height of a part on the axis: of no consequence beyond the drawing. */
function heightOf(cell, step, unit) {
  if (!cell) return 0;
  if (state.metric === "invocations") return Number(cell.calls);
  if (state.metric === "pct_cuda_time") return ratio(cell.ns, step.total) * 100;
  return Number(cell.ns) / Number(unit.ns);
}

/** What is shown of a step, hidden entries left out. */
function shownSum(at) {
  return barCells[at].reduce((sum, cell, entry) => (state.hidden.has(entry) ? sum : sum + partOf(cell)), 0n);
}

function sumText(sum, step) {
  if (state.metric === "invocations") return grouped(sum);
  return state.metric === "pct_cuda_time" ? share(sum, step.total, 1) : humanTime(sum);
}

function barTip(at) {
  const step = barSteps[at];
  const cells = barCells[at]
    .map((cell, entry) => ({ cell, entry }))
    .filter(({ entry }) => !state.hidden.has(entry))
    .sort((a, b) => (partOf(b.cell) > partOf(a.cell) ? 1 : -1));
  const shown = cells.slice(0, 16);
  const rest = cells.slice(16).reduce((sum, { cell }) => sum + partOf(cell), 0n);
  const line = (name, value, beside, color) =>
    element(
      "tr",
      {},
      element("th", { className: "tip-name" }, color ? swatch(color) : null, shortened(name, 48)),
      element("td", {}, value),
      element("td", {}, beside),
    );
  const text = (sum) => (state.metric === "invocations" ? grouped(sum) : exactTime(sum));
  const part = (sum) => (state.metric === "invocations" ? "" : share(sum, step.total, 1));
  return element(
    "div",
    { className: "tip" },
    element("p", { className: "tip-head" }, stepName(step)),
    element("p", { className: "tip-title" }, `${exactTime(step.total)} · ${grouped(step.total)} ns`),
    element(
      "table",
      {},
      element(
        "tbody",
        {},
        ...shown.map(({ cell, entry }) =>
          line(printable(entries[entry].name) || "(no name)", text(partOf(cell)), part(partOf(cell)), entries[entry].color),
        ),
        rest > 0n ? line(`${grouped(cells.length - 16)} more`, text(rest), part(rest)) : null,
      ),
    ),
  );
}

/** How many are in view, by the part chosen with the slider. */
function barsInView({ start, end }) {
  return (barSteps.length * (end - start)) / 100;
}

/** Bars that do not share pixels are as wide as there is room for. */
function widenBars() {
  if (barSteps.length <= MOST_APART) return;
  const [zoom] = chart.getOption().dataZoom;
  const barWidth = barsInView(zoom) > MOST_APART ? 2 : null;
  const series = chart.getOption().series.filter(({ id }) => id.startsWith("entry"));
  if (series.length === 0 || (series[0].barWidth ?? null) === barWidth) return;
  chart.setOption({ series: series.map(({ id }) => ({ id, barWidth })) });
}

function barsOption(zoom) {
  const unit = barUnit();
  const [text, faint, line, accent] = ["text", "faint", "line", "accent"].map(ink);
  const count = barSteps.length;
  const chosen = barSteps.indexOf(chosenStep());
  const dimmed = chosen >= 0 && count <= MOST_DIMMED;
  const zooms = count > 60;
  const axisName = { cuda_time_ms: unit.name, pct_cuda_time: "%", invocations: "calls" }[state.metric];
  const gap = count > 150 ? "0%" : "22%";
  const turned = count > 8;
  // Of bars that share a pixel, one is drawn, the same of all entries.
  const dense = count > MOST_APART
    ? {
        barWidth: barsInView(zoom) > MOST_APART ? 2 : null,
        sampling: (values) => values[Math.min(Math.round(values.length / 2), values.length - 1)],
      }
    : {};
  return {
    animation: false,
    textStyle: { fontFamily: FONT, color: text },
    grid: { left: 62, right: 12, top: count <= MOST_TOTALS && turned ? 74 : 34, bottom: (zooms ? 42 : 0) + (turned ? 78 : 48) },
    tooltip: {
      ...tooltipLook(),
      trigger: "axis",
      axisPointer: { type: "shadow" },
      formatter: (items) => (items.length > 0 ? barTip(items[0].dataIndex) : ""),
    },
    dataZoom: zooms
      ? [
          { type: "slider", ...zoom, height: 20, bottom: 8, brushSelect: false, borderColor: line, textStyle: { color: faint }, showDetail: false },
          { type: "inside", ...zoom, zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, moveOnMouseMove: false },
        ]
      : [],
    xAxis: {
      type: "category",
      data: barSteps.map((step) => step.key),
      axisLine: { lineStyle: { color: faint } },
      axisTick: { show: false },
      axisLabel: {
        color: (key) => (chosen >= 0 && key === barSteps[chosen].key ? accent : faint),
        interval: zooms ? "auto" : Math.ceil(count / MOST_NAMES) - 1,
        hideOverlap: true,
        rotate: turned ? 40 : 0,
        margin: 12,
        lineHeight: 15,
        formatter: (key, at) => {
          const name = shortened(printable(key) || "(no name)", turned ? 14 : 18);
          const seqs = barSteps[at].seqs;
          const beside = !turned && seqs !== null ? `\n(${grouped(seqs)} seq${seqs === 1n ? "" : "s"})` : "";
          return name + beside;
        },
      },
    },
    yAxis: {
      type: "value",
      max: state.metric === "pct_cuda_time" ? 100 : undefined,
      name: axisName,
      nameTextStyle: { color: faint, align: "right" },
      axisLabel: { color: faint, formatter: (value) => value.toLocaleString("en-US") },
      splitLine: { lineStyle: { color: line } },
    },
    series: [
      ...entries
        .map((entry, number) => ({ entry, number }))
        .filter(({ number }) => !state.hidden.has(number))
        .map(({ entry, number }) => ({
          type: "bar",
          name: entry.name,
          id: `entry ${number}`,
          stack: "step",
          barCategoryGap: gap,
          barMaxWidth: 90,
          ...dense,
          itemStyle: { color: entry.color },
          emphasis: { disabled: true },
          data: barSteps.map((step, at) => {
            const value = heightOf(barCells[at][number], step, unit) || "-";
            return dimmed && at !== chosen ? { value, itemStyle: { opacity: 0.35 } } : value;
          }),
        })),
      {
        type: "bar",
        id: "totals",
        stack: "step",
        silent: true,
        itemStyle: { color: "transparent" },
        label: {
          show: count <= MOST_TOTALS,
          position: "top",
          color: text,
          fontSize: 11,
          fontWeight: 600,
          rotate: turned ? 90 : 0,
          align: turned ? "left" : "center",
          verticalAlign: "middle",
          distance: turned ? 4 : 8,
          formatter: (item) =>
            state.metric === "pct_cuda_time" && state.hidden.size === 0
              ? humanTime(barSteps[item.dataIndex].total)
              : sumText(shownSum(item.dataIndex), barSteps[item.dataIndex]),
        },
        data: barSteps.map(() => 0),
      },
      {
        type: "scatter",
        id: "chosen",
        silent: true,
        symbol: "triangle",
        symbolSize: [11, 7],
        symbolOffset: [0, 6],
        itemStyle: { color: accent },
        data: chosen >= 0 ? [[chosen, 0]] : [],
      },
    ],
  };
}

function chooseBar(event) {
  if (event.offsetY > byId("bars").clientHeight - (barSteps.length > 60 ? 40 : 0)) return;
  const at = chart.convertFromPixel({ xAxisIndex: 0 }, event.offsetX);
  const step = barSteps[Math.round(at)];
  if (step) update({ step: state.step === String(step.at) ? "" : String(step.at) });
}

function drawBars(keepZoom = false) {
  barSteps = stepsOf(state.phase);
  barCells = barSteps.map(cellsOf);
  const titles = { cuda_time_ms: "CUDA time", pct_cuda_time: "Share of CUDA time", invocations: "Calls" };
  const by = data.by_label ? `by ${printable(data.by_label)}` : `at level ${data.level}`;
  byId("bars-title").textContent = `${titles[state.metric]} of ${allName()}, ${by}`;
  byId("bars").setAttribute("aria-label", `Stacked bars: ${byId("bars-title").textContent}, one bar per step. The buttons beside the tree go from step to step.`);
  if (chart === null) {
    chart = echarts.init(byId("bars"));
    chart.getZr().on("click", chooseBar);
    chart.on("datazoom", widenBars);
    new ResizeObserver(() => chart.resize()).observe(byId("bars"));
  }
  const [before] = (keepZoom && chart.getOption()?.dataZoom) || [];
  const zoom = before ? { start: before.start, end: before.end } : { start: 0, end: 100 };
  chart.setOption(barsOption(zoom), { notMerge: true });
}

function drawLegend() {
  const legend = byId("legend");
  const focused = legend.contains(document.activeElement) ? document.activeElement.dataset.entry : null;
  const sums = entries.map(() => 0n);
  for (const cells of barCells) cells.forEach((cell, entry) => (sums[entry] += partOf(cell)));
  const whole = sums.reduce((all, sum) => all + sum, 0n);
  legend.replaceChildren(
    ...entries.map((entry, number) => {
      const name = printable(entry.name) || "(no name)";
      const chip = element(
        "button",
        {
          type: "button",
          className: "chip",
          hidden: sums[number] === 0n,
          "aria-pressed": String(!state.hidden.has(number)),
          title: `${name}. Click: show or hide; Shift+click: show only this one`,
          onclick: (event) => toggleEntry(number, event.shiftKey),
        },
        swatch(entry.color),
        element("span", { className: "chip-name" }, shortened(name, 60)),
        element("span", { className: "chip-share" }, share(sums[number], whole, 1)),
      );
      chip.dataset.entry = number;
      return chip;
    }),
  );
  if (focused !== null) legend.querySelector(`[data-entry="${focused}"]`)?.focus();
  byId("show-all").hidden = state.hidden.size === 0;
}

function toggleEntry(number, alone) {
  let hidden = new Set(state.hidden);
  if (alone) {
    const isAlone = entries.every((_, one) => hidden.has(one) === (one !== number));
    hidden = new Set(isAlone ? [] : entries.map((_, one) => one).filter((one) => one !== number));
  } else if (!hidden.delete(number)) hidden.add(number);
  update({ hidden });
}
