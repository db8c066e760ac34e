// The chart: one bar per step. A click anywhere above a step chooses it.

const MOST_TOTALS = 26; // bars that have their total on top
const MOST_DIMMED = 400; // bars that fade beside the one chosen
const MOST_APART = 800; // bars that are all drawn; of more, one a pixel
const MOST_NAMES = 14; // of steps below the bars

let barSteps = []; // in the chart
let barCells = []; // their parts

const partOf = (cell) => (state.metric === "invocations" ? cell.calls : cell.ns);

function barUnit() {
  return unitOf(largestOf(barSteps.map((step) => step.total)));
}

/** Height of a part on the axis: only for drawing. */
function heightOf(cell, step, unit) {
  if (!cell) return 0;
  if (state.metric === "invocations") return Number(cell.calls);
  if (state.metric === "pct_cuda_time") return ratio(cell.ns, step.total) * 100;
  return Number(cell.ns) / Number(unit.ns);
}

/** The sum of a step without the entries that the user hides. */
function shownSum(at) {
  return barCells[at].reduce((sum, cell, entry) => (state.hidden.has(String(entry)) ? sum : sum + partOf(cell)), 0n);
}

function sumText(sum, step) {
  if (state.metric === "invocations") return grouped(sum);
  return state.metric === "pct_cuda_time" ? share(sum, step.total) : humanTime(sum);
}

function barTip(at) {
  const step = barSteps[at];
  const cells = barCells[at]
    .map((cell, entry) => ({ cell, entry }))
    .filter(({ entry }) => !state.hidden.has(String(entry)))
    .sort((a, b) => (partOf(b.cell) > partOf(a.cell) ? 1 : -1));
  const calls = state.metric === "invocations";
  const line = (name, sum, color) => [
    [color ? swatch(color) : "", shortened(name, 48)],
    calls ? grouped(sum) : exactTime(sum),
    calls ? "" : share(sum, step.total),
  ];
  const rest = sumOf(cells.slice(16).map(({ cell }) => partOf(cell)));
  return tip(
    [stepName(step)],
    [`${exactTime(step.total)} · ${grouped(step.total)} ns`],
    [
      ...cells.slice(0, 16).map(({ cell, entry }) => line(nameOfEntry(entry), partOf(cell), entries[entry].color)),
      rest > 0n ? line(`${grouped(cells.length - 16)} more`, rest) : null,
    ],
  );
}

const nameOfEntry = (entry) => printable(entries[entry].name) || "(no name)";

/** How many are in view: the part chosen with the slider. */
function barsInView({ start, end }) {
  return (barSteps.length * (end - start)) / 100;
}

/** Bars that do not share pixels are as wide as fits. */
function widenBars() {
  if (barSteps.length <= MOST_APART) return;
  const [zoom] = chart.drawing.getOption().dataZoom;
  const barWidth = barsInView(zoom) > MOST_APART ? 2 : null;
  const series = chart.drawing.getOption().series.filter(({ id }) => id.startsWith("entry"));
  if (series.length === 0 || (series[0].barWidth ?? null) === barWidth) return;
  chart.drawing.setOption({ series: series.map(({ id }) => ({ id, barWidth })) });
}

function describeSteps(zoom = { start: 0, end: 100 }) {
  const unit = barUnit();
  const [text, faint, accent] = ["text", "faint", "accent"].map(ink);
  const count = barSteps.length;
  const chosen = barSteps.indexOf(chosenStep());
  const sums = data.entry_sums[phaseNumber(state.phase)][state.metric === "invocations" ? "calls" : "ns"].map(BigInt);
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
    grid: { left: 62, right: 12, top: count <= MOST_TOTALS && turned ? 74 : 34, bottom: (zooms ? 42 : 0) + (turned ? 78 : 48) },
    tooltip: {
      ...tooltipLook((items) => (items.length > 0 ? barTip(items[0].dataIndex) : "")),
      trigger: "axis",
      axisPointer: { type: "shadow" },
    },
    dataZoom: zooms ? zoomBars(zoom) : [],
    bars: barSteps.map((step) => step.key),
    names: {
      axisLine: { lineStyle: { color: faint } },
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
    values: { max: state.metric === "pct_cuda_time" ? 100 : undefined, name: axisName },
    parts: entries
      .map(({ color }, entry) => ({
        key: String(entry),
        entry,
        name: nameOfEntry(entry),
        title: nameOfEntry(entry),
        color,
        share: share(sums[entry], sums.at(-1)),
        series: { id: `entry ${entry}`, barCategoryGap: gap, barMaxWidth: 90, ...dense },
      }))
      .filter(({ entry }) => sums[entry] > 0n),
    valueOf: ({ entry }, at) => {
      const value = heightOf(barCells[at][entry], barSteps[at], unit) || "-";
      return dimmed && at !== chosen ? { value, itemStyle: { opacity: 0.35 } } : value;
    },
    ends: {
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
    also: [
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
  if (event.offsetY > chart.box.clientHeight - (barSteps.length > 60 ? 40 : 0)) return;
  const at = chart.drawing.convertFromPixel({ xAxisIndex: 0 }, event.offsetX);
  const step = barSteps[Math.round(at)];
  if (step) update({ step: state.step === String(step.at) ? "" : String(step.at) });
}

chart.setUp({
  id: "bars",
  legend: "Parts shown in the bars",
  describe: describeSteps,
  begun: (drawing) => {
    drawing.getZr().on("click", chooseBar);
    drawing.on("datazoom", widenBars);
  },
});
const barsCard = card("bars-card", "", "", [element("div", { className: "actions" }, chart.showAll)], chart.box, chart.legend);
SHOWS.bars = () => barsCard;

function drawBars(keepZoom = false) {
  barSteps = stepsOf(state.phase);
  barCells = barSteps.map(cellsOf);
  const titles = { cuda_time_ms: "GPU time", pct_cuda_time: "Share of GPU time", invocations: "Calls" };
  const by = data.by_label ? `by ${printable(data.by_label)}` : `at level ${data.level}`;
  const title = `${titles[state.metric]} of ${allName()}, ${by}`;
  byId("bars-card-title").textContent = title;
  chart.box.setAttribute("aria-label", `Stacked bars: ${title}, one bar per step. The buttons beside the tree go from step to step.`);
  chart.draw(keepZoom);
}
