// Stacked bars, a run each, with a legend of buttons.

const MOST_LABELS = 24;
const BAND = 92; // pixels a run
const BAR = 42;
const SIDE = { left: 2, right: 92 };

let chart = null;

/** What is drawn: labels, then time off the GPU where the measure knows it. */
function chartRows() {
  const rows = folded(pivotRows(state.by, state.measure), MOST_LABELS).map((row) => ({
    ...row,
    ...styleOf(state.by, row.label),
  }));
  if (state.measure === "elapsed" && runs.some((run) => run.nonGpu > 0n)) {
    rows.push({
      label: NON_GPU,
      title: "",
      doc: "",
      color: "#aab1bb",
      nonGpu: true,
      cells: runs.map((run) => ({ ...EMPTY, elapsed: run.nonGpu })),
      all: { ...EMPTY, elapsed: runs.reduce((sum, run) => sum + run.nonGpu, 0n) },
    });
  }
  return rows;
}

const sizeOf = (sum) => sum[state.measure === "share" ? "elapsed" : state.measure];

/** Length of a bar in the axis' own numbers: of no consequence beyond the drawing. */
function lengthOf(sum, run, unit) {
  if (state.measure === "share") return ratio(sum.elapsed, run.all.elapsed) * 100;
  if (state.measure === "instances") return Number(sum.instances);
  return Number(sum[state.measure]) / Number(unit.ns);
}

function shortText(sum, run) {
  if (state.measure === "share") return share(sum.elapsed, run.all.elapsed);
  if (state.measure === "instances") return grouped(sum.instances);
  return humanTime(sum[state.measure]);
}

/** Name and value, the value alone, or nothing, by what fits into `pixels`. */
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
  const line = (name, value) =>
    element("tr", {}, element("th", {}, name), element("td", {}, value));
  const lines = row.nonGpu
    ? [
        line("Elapsed", exactTime(sum.elapsed)),
        line("Share of elapsed", share(sum.elapsed, run.all.elapsed + run.nonGpu)),
      ]
    : [
        line("Elapsed", exactTime(sum.elapsed)),
        line("Share", share(sum.elapsed, run.all.elapsed)),
        line("Total", exactTime(sum.total)),
        line("Instances", grouped(sum.instances)),
      ];
  return element(
    "div",
    { className: "tip" },
    element(
      "p",
      { className: "tip-head" },
      swatch(row.color),
      shortened(printable(row.label), 80),
      row.count ? ` (${row.count} labels)` : null,
    ),
    row.title ? element("p", { className: "tip-title" }, printable(row.title)) : null,
    runs.length > 1 ? element("p", { className: "tip-run" }, printable(run.id)) : null,
    element("table", {}, element("tbody", {}, ...lines)),
  );
}

function chartOption() {
  const unit = sumUnit();
  const shown = chartRows().filter((row) => !state.hidden.has(row.label));
  const lengths = runs.map((run, at) =>
    shown.reduce((sum, row) => sum + lengthOf(row.cells[at], run, unit), 0),
  );
  const most = state.measure === "share" ? 100 : Math.max(...lengths, 0);
  const pixels = Math.max(byId("chart").clientWidth - SIDE.left - SIDE.right, 50);
  const ends = runs.map((run, at) =>
    shown.reduce((sum, row) => sum + sizeOf(row.cells[at]), 0n),
  );
  const [text, faint, line, card] = ["text", "faint", "line", "card"].map(ink);
  const axisName = state.measure === "share" ? "%" : state.measure === "instances" ? "" : unit.name;
  return {
    animation: false,
    textStyle: { fontFamily: FONT, color: text },
    grid: { left: SIDE.left, right: SIDE.right, top: 4, bottom: 26 },
    tooltip: {
      ...tooltipLook(),
      formatter: (item) => (item.data.row ? tooltipOf(item.data.row, item.dataIndex) : ""),
    },
    xAxis: {
      type: "value",
      max: most > 0 ? most : 1,
      axisLabel: {
        color: faint,
        hideOverlap: true,
        showMaxLabel: state.measure === "share",
        formatter: (value) => `${value.toLocaleString("en-US")}${axisName ? ` ${axisName}` : ""}`,
      },
      axisLine: { show: false },
      axisTick: { show: false },
      splitLine: { lineStyle: { color: line } },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: runs.map((run) => run.id),
      axisLine: { show: false },
      axisTick: { show: false },
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
          const clean = (name) => printable(name).replace(/[{}|]/g, "·");
          return `{id|${clean(shortened(id, room))}}   {model|${clean(model)}}`;
        },
        rich: {
          id: { fontWeight: 600, color: text, fontSize: 12.5 },
          model: { color: faint, fontSize: 12 },
        },
      },
    },
    series: [
      ...shown.map((row) => ({
        type: "bar",
        name: row.label,
        stack: "run",
        barWidth: BAR,
        cursor: row.nonGpu || row.count ? "default" : "pointer",
        itemStyle: {
          color: row.color,
          borderColor: card,
          borderWidth: 1,
          decal: row.nonGpu
            ? { symbol: "rect", dashArrayX: [1, 0], dashArrayY: [2, 5], rotation: -0.785, color: "rgba(0,0,0,0.16)" }
            : undefined,
        },
        emphasis: { focus: runs.length > 1 ? "series" : "none", itemStyle: { borderColor: text } },
        blur: { itemStyle: { opacity: 0.25 } },
        data: runs.map((run, at) => {
          const sum = row.cells[at];
          const value = lengthOf(sum, run, unit);
          const words = most > 0 ? barText(row, sum, run, (value / most) * pixels) : "";
          return {
            value,
            row,
            exact: String(sizeOf(sum)),
            label: {
              show: words !== "",
              position: "inside",
              color: textOn(row.color),
              fontSize: 11.5,
              lineHeight: 15,
              formatter: () => words,
              rich: { name: { fontWeight: 600, fontSize: 11.5, lineHeight: 15, color: textOn(row.color) } },
            },
          };
        }),
      })),
      {
        type: "bar",
        name: "",
        stack: "run",
        silent: true,
        itemStyle: { color: "transparent" },
        data: runs.map((run, at) => ({
          value: 0,
          label: {
            show: ends[at] > 0n,
            position: "right",
            distance: 8,
            color: text,
            fontWeight: 600,
            fontSize: 12.5,
            formatter: () => shortText({ elapsed: ends[at], total: ends[at], instances: ends[at] }, run),
          },
        })),
      },
    ],
  };
}

function drawChart() {
  const box = byId("chart");
  const measure = MEASURES.find((one) => one.name === state.measure);
  const titles = {
    elapsed: "GPU time",
    total: "Summed durations",
    share: "Share of GPU time",
    instances: "Operations",
  };
  byId("chart-title").textContent = `${titles[measure.name]} by ${state.by}`;
  box.style.height = `${runs.length * BAND + 34}px`;
  box.setAttribute(
    "aria-label",
    `Stacked bars: ${titles[measure.name]} by ${state.by}, one bar per run. The table below has the same numbers.`,
  );
  if (chart === null) {
    chart = echarts.init(box, null, { renderer: "svg" });
    chart.on("click", (item) => {
      const row = item.data.row;
      if (row && !row.nonGpu && !row.count) {
        update({ label: row.label, run: runs.length > 1 ? String(item.dataIndex) : "" });
        byId("kernels-card").scrollIntoView({ behavior: "smooth", block: "start" });
      }
    });
    new ResizeObserver(() => {
      chart.resize();
      chart.setOption(chartOption(), { notMerge: true });
    }).observe(box);
  }
  chart.resize();
  chart.setOption(chartOption(), { notMerge: true });
}

/** Click: on or off. With shift, or a double click: this one alone, and all again. */
function toggleLabel(label, alone) {
  const labels = chartRows().map((row) => row.label);
  let hidden = new Set(state.hidden);
  if (alone) {
    const isAlone = labels.every((one) => hidden.has(one) === (one !== label));
    hidden = new Set(isAlone ? [] : labels.filter((one) => one !== label));
  } else if (!hidden.delete(label)) {
    hidden.add(label);
  }
  update({ hidden });
}

function drawLegend() {
  const rows = chartRows();
  const legend = byId("legend");
  const focused = legend.contains(document.activeElement) ? document.activeElement.dataset.label : null;
  const whole = runs.reduce((sum, run) => sum + run.all.elapsed, 0n);
  legend.replaceChildren(
    ...rows.map((row) => {
      const shown = !state.hidden.has(row.label);
      const button = element(
        "button",
        {
          type: "button",
          className: "chip",
          "aria-pressed": String(shown),
          title: `${row.title ? `${printable(row.title)}. ` : ""}Click: show or hide; Shift+click: show only this one`,
          onclick: (event) => toggleLabel(row.label, event.shiftKey),
        },
        swatch(row.color, row.nonGpu ? "swatch hatched" : "swatch"),
        element("span", { className: "chip-name" }, shortened(printable(row.label), 40)),
        row.count ? element("span", { className: "faint" }, `${row.count} labels`) : null,
        row.nonGpu ? null : element("span", { className: "chip-share" }, share(row.all.elapsed, whole, 1)),
      );
      button.dataset.label = row.label;
      return button;
    }),
  );
  if (focused !== null) {
    [...legend.children].find((button) => button.dataset.label === focused)?.focus();
  }
  byId("show-all").hidden = !rows.some((row) => state.hidden.has(row.label));
}

function saveSvg() {
  save("result.svg", chart.renderToSVGString(), "image/svg+xml");
}
