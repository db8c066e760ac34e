// The chart: one bar per run.

const BAND = 92; // pixels a run
const BAR = 42;
const SIDE = { left: 2, right: 92 };

/** The rows that are drawn: labels, then the time without operations that completes them, if the measure has it. */
function chartRows() {
  const rows = pivotOf(state.by).drawn.map((row) => ({ ...row, ...lookOf(state.by, row.label) }));
  const { name, rest } = measureNamed(state.measure);
  if (rest && runs.some((run) => run.rest[name] > 0n)) {
    const cells = runs.map((run) => ({ elapsed: 0n, total: 0n, instances: 0n, busy: 0n, [name]: run.rest[name] }));
    rows.push({ label: rest, title: "", doc: "", color: "#d5dae1", rest: true, cells });
  }
  return rows;
}

/** Length of a bar in numbers of the axis: only for drawing. */
function lengthOf(sum, run, unit) {
  if (state.measure === "share") return ratio(sum.busy, run.all.busy) * 100;
  if (state.measure === "instances") return Number(sum.instances);
  return Number(sum[state.measure]) / Number(unit.ns);
}

function shortText(sum, run) {
  if (state.measure === "share") return share(sum.busy, run.all.busy);
  if (state.measure === "instances") return grouped(sum.instances);
  return humanTime(sum[state.measure]);
}

/** Name and value, only the value, or nothing: what fits into `pixels`. */
function barText(row, sum, run, pixels) {
  const value = shortText(sum, run);
  const room = pixels - 10;
  if (widthOf(value, `11.5px ${FONT}`) > room) return "";
  const name = printable(row.label);
  return widthOf(name, `600 11.5px ${FONT}`) <= room ? `{name|${name.replace(/[{}|]/g, "·")}}\n${value}` : value;
}

function tooltipOf(row, number) {
  const run = runs[number];
  const sum = row.cells[number];
  return tip(
    [swatch(row.color), shortened(printable(row.label), 80)],
    [printable(row.title), runs.length > 1 ? shortId(run.run) : ""],
    row.rest
      ? [["Time", exactTime(sizeOf(sum)), `${share(sizeOf(sum), run.whole[state.measure])} of ${wholeName(measureNamed(state.measure).whole)}`]]
      : [
          ...MEASURES.filter(({ time }) => time).map(({ name, title }) => [title, exactTime(sum[name]), share(sum[name], run.all[name])]),
          ["Instances", grouped(sum.instances)],
        ],
  );
}

function describeRuns() {
  const unit = sumUnit();
  const rows = chartRows();
  const shown = rows.filter((row) => !state.hidden.has(row.label));
  const lengths = runs.map((run, at) =>
    shown.reduce((sum, row) => sum + lengthOf(row.cells[at], run, unit), 0),
  );
  const most = state.measure === "share" ? 100 : Math.max(...lengths, 0);
  const pixels = Math.max(chart.box.clientWidth - SIDE.left - SIDE.right, 50);
  const ends = runs.map((run, at) => shown.reduce((sum, row) => sum + sizeOf(row.cells[at]), 0n));
  const [text, faint] = ["text", "faint"].map(ink);
  const axisName = state.measure === "share" ? "%" : state.measure === "instances" ? "" : unit.name;
  const clean = (name) => printable(name).replace(/[{}|]/g, "·");
  return {
    lying: true,
    grid: { left: SIDE.left, right: SIDE.right, top: 4, bottom: 26 },
    tooltip: tooltipLook((item) => (item.data.row ? tooltipOf(item.data.row, item.dataIndex) : "")),
    values: {
      max: most > 0 ? most : 1,
      axisLabel: {
        color: faint,
        hideOverlap: true,
        showMaxLabel: state.measure === "share",
        formatter: (value) => `${value.toLocaleString("en-US")}${axisName ? ` ${axisName}` : ""}`,
      },
    },
    bars: runs.map((run) => shortId(run.run)),
    names: {
      inverse: true,
      axisLine: { show: false },
      axisLabel: {
        inside: true,
        align: "left",
        verticalAlign: "bottom",
        margin: 2,
        padding: [0, 0, BAR / 2 + 5, 0],
        fontSize: 12.5,
        formatter: (id, at) => {
          const run = runs[at];
          const model = `${run.engine}/${run.model}`;
          const room = Math.max(Math.floor(pixels / 7.5) - model.length - 3, 12);
          return `{id|${clean(shortened(id, room))}}   {model|${clean(model)}}`;
        },
        rich: {
          id: { fontWeight: 600, color: text, fontSize: 12.5 },
          model: { color: faint, fontSize: 12 },
        },
      },
    },
    parts: rows.map((row) => ({
      key: row.label,
      name: printable(row.label),
      title: printable(row.title || row.label),
      color: row.color,
      share: row.rest ? "" : share(row.all[shownTime()], allRuns[shownTime()]),
      hatched: row.rest,
      row,
      series: {
        barWidth: BAR,
        cursor: row.rest || row.others ? "default" : "pointer",
        emphasis: { focus: runs.length > 1 ? "series" : "none", itemStyle: { borderColor: text } },
        blur: { itemStyle: { opacity: 0.25 } },
      },
    })),
    valueOf: ({ row }, at) => {
      const sum = row.cells[at];
      const value = lengthOf(sum, runs[at], unit);
      const words = most > 0 ? barText(row, sum, runs[at], (value / most) * pixels) : "";
      const look = { color: textOn(row.color), fontSize: 11.5, lineHeight: 15 };
      const label = { show: words !== "", position: "inside", formatter: () => words, ...look, rich: { name: { fontWeight: 600, ...look } } };
      return { value, row, exact: String(sizeOf(sum)), label };
    },
    ends: {
      show: true,
      position: "right",
      distance: 8,
      color: text,
      fontWeight: 600,
      fontSize: 12.5,
      formatter: ({ dataIndex: at }) =>
        ends[at] > 0n ? shortText({ elapsed: ends[at], total: ends[at], instances: ends[at], busy: ends[at] }, runs[at]) : "",
    },
  };
}

chart.setUp({
  id: "chart",
  legend: "Labels shown in the chart",
  renderer: "svg",
  describe: describeRuns,
  begun: (drawing) =>
    drawing.on("click", ({ data: { row }, dataIndex }) => {
      if (!row || row.rest || row.others) return;
      update({ label: row.label, run: runs.length > 1 ? String(dataIndex) : "" });
      byId("kernels").scrollIntoView({ behavior: "smooth", block: "start" });
    }),
});
const saveChart = quietButton("SVG", {
  title: "The chart as an SVG file",
  onclick: () => save("result.svg", chart.drawing.renderToSVGString(), "image/svg+xml"),
});
const chartNote = element("span", { className: "faint" });
const chartCard = card("chart-card", "Time", "", [chartNote, element("div", { className: "actions" }, chart.showAll, saveChart)], chart.legend, chart.box);
SHOWS.chart = () => (someGpuWork && !compact ? chartCard : null);

function drawChart() {
  const { long, meaning } = measureNamed(state.measure);
  const title = `${long} by ${state.by}`;
  chartNote.textContent = meaning;
  byId("chart-card-title").textContent = title;
  chart.box.style.height = `${runs.length * BAND + 34}px`;
  chart.box.setAttribute("aria-label", `Stacked bars: ${title}, one bar per run. The table below has the same numbers.`);
  chart.draw();
}
