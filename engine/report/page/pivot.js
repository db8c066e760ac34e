// Labels by runs. One run: all measures side by side; several: the measure chosen, a column a run.

const FIRST_ROWS = 60;
const MORE_ROWS = 500;
let rowsWanted = FIRST_ROWS;

function labelCell(row) {
  const style = styleOf(state.by, row.label);
  return element(
    "th",
    { scope: "row", className: "label" },
    element(
      "button",
      {
        type: "button",
        className: "link",
        title: "Show its kernels",
        onclick: () => {
          update({ label: row.label, run: "" });
          byId("kernels-card").scrollIntoView({ behavior: "smooth", block: "start" });
        },
      },
      swatch(style.color),
      element("span", { className: "label-name" }, shortened(printable(row.label), 60)),
    ),
    style.title ? element("span", { className: "faint label-title" }, printable(style.title)) : null,
  );
}

function shareCell(part, whole, color) {
  return element(
    "td",
    { className: "number share" },
    color === undefined
      ? null
      : element(
          "span",
          { className: "track", "aria-hidden": "true" },
          element("span", {
            className: "fill",
            style: { width: `${ratio(part, whole) * 100}%`, backgroundColor: color },
          }),
        ),
    element("span", { className: "share-text" }, share(part, whole)),
  );
}

const blank = () => element("td", { className: "number faint" }, "–");

/** Cells of all measures, for one run. */
function wideCells(sum, run, unit, color) {
  return [
    timeCell(sum.elapsed, unit),
    shareCell(sum.elapsed, run.all.elapsed, color),
    timeCell(sum.total, unit),
    element("td", { className: "number" }, grouped(sum.instances)),
  ];
}

/** The cell of one run in the measure chosen; times carry their share beside them. */
function narrowCells(sum, run, unit, color) {
  if (sum.instances === 0n) return [blank()];
  if (state.measure === "share") return [shareCell(sum.elapsed, run.all.elapsed, color)];
  if (state.measure === "instances") {
    return [element("td", { className: "number" }, grouped(sum.instances))];
  }
  const whole = run.all[state.measure];
  const cell = timeCell(sum[state.measure], unit);
  cell.append(element("span", { className: "beside" }, share(sum[state.measure], whole, 1)));
  return [cell];
}

/** With two runs: what the second has more or less of. */
function changeCell(cells, unit) {
  const [before, after] = cells.map(sizeOf);
  const change = after - before;
  const sign = change > 0n ? "+" : change < 0n ? "−" : "";
  const size = change < 0n ? -change : change;
  const text = state.measure === "instances" ? grouped(size) : roundedTime(size, unit);
  const part = before === 0n ? "" : ` ${sign}${share(size, before, 1)}`;
  const className = `number change ${change > 0n ? "more" : change < 0n ? "less" : ""}`;
  return element("td", { className }, sign + text, element("span", { className: "beside" }, part));
}

const comparing = () => runs.length === 2 && state.measure !== "share";

function pivotHead(unit) {
  const timed = (name) => `${name} (${unit.name})`;
  if (runs.length === 1) {
    const heads = [timed("Elapsed"), "Share", timed("Total"), "Instances"];
    return element("tr", {}, header(state.by, "label"), ...heads.map((head) => header(head)));
  }
  const measure = MEASURES.find((one) => one.name === state.measure);
  return element(
    "tr",
    {},
    header(`${state.by} · ${measure.time ? timed(measure.title) : measure.title}`, "label"),
    ...runs.map((run) => {
      const head = header(shortened(printable(run.id), 36));
      head.title = printable(run.id);
      return head;
    }),
    comparing() ? header("Change") : null,
  );
}

function pivotRow(row, unit) {
  const color = styleOf(state.by, row.label).color;
  const line = element("tr", {}, labelCell(row));
  line.classList.toggle("hidden-label", state.hidden.has(row.label));
  if (runs.length === 1) {
    line.append(...wideCells(row.cells[0], runs[0], unit, color));
  } else {
    runs.forEach((run, at) => line.append(...narrowCells(row.cells[at], run, unit, color)));
    if (comparing()) line.append(changeCell(row.cells, unit));
  }
  return line;
}

function sumRow(name, className, cells) {
  return element("tr", { className }, header(name, "label", "row"), ...cells);
}

function pivotFoot(unit) {
  const time = state.measure === "elapsed";
  const off = (run) => ({ ...EMPTY, elapsed: run.nonGpu });
  const both = (run) => ({ ...EMPTY, elapsed: run.all.elapsed + run.nonGpu });
  const change = (sums) => (comparing() ? [changeCell(sums, unit)] : []);
  if (runs.length === 1) {
    const only = (sum) => [timeCell(sum.elapsed, unit), blank(), blank(), blank()];
    return [
      sumRow("GPU time", "sum", wideCells(runs[0].all, runs[0], unit)),
      sumRow(NON_GPU, "off", only(off(runs[0]))),
      sumRow(`GPU time and ${NON_GPU}`, "off", only(both(runs[0]))),
    ];
  }
  const cells = (of) => {
    if (!time) return [...runs.map(blank), ...(comparing() ? [blank()] : [])];
    const cell = (run) => {
      const made = timeCell(of(run).elapsed, unit);
      made.append(element("span", { className: "beside" }));
      return made;
    };
    return [...runs.map(cell), ...change(runs.map(of))];
  };
  return [
    sumRow("GPU time", "sum", [
      ...runs.flatMap((run) => narrowCells(run.all, run, unit)),
      ...change(runs.map((run) => run.all)),
    ]),
    sumRow(NON_GPU, "off", cells(off)),
    sumRow(`GPU time and ${NON_GPU}`, "off", cells(both)),
  ];
}

function drawPivot() {
  const unit = sumUnit();
  const rows = pivotRows(state.by, state.measure);
  const shown = rows.slice(0, rowsWanted);
  byId("pivot").replaceChildren(
    element("thead", {}, pivotHead(unit)),
    element("tbody", {}, ...shown.map((row) => pivotRow(row, unit))),
    element("tfoot", {}, ...pivotFoot(unit)),
  );
  const more = byId("pivot-more");
  more.hidden = shown.length === rows.length;
  const next = Math.min(MORE_ROWS, rows.length - shown.length);
  more.textContent = `Show ${grouped(next)} more of ${grouped(rows.length)} labels`;
}

/** The table as cells: times in seconds with nine decimals, as in result.csv. */
function pivotCells() {
  const columns = runs.length === 1 ? MEASURES.map((one) => one.name) : [state.measure];
  const value = (sum, run, measure) => {
    if (measure === "instances") return sum.instances;
    if (measure === "share") return share(sum.elapsed, run.all.elapsed).replace(" %", "");
    return seconds(sum[measure]);
  };
  const titles = { elapsed: "elapsed (sec)", total: "total (sec)", share: "share (%)", instances: "instances" };
  const head = runs.flatMap((run) =>
    columns.map((measure) => (runs.length === 1 ? titles[measure] : `${run.id} ${titles[measure]}`)),
  );
  const line = (name, sums) => [
    name,
    ...runs.flatMap((run, at) => columns.map((measure) => value(sums[at], run, measure))),
  ];
  const off = (name, of) => [
    name,
    ...runs.flatMap((run) =>
      columns.map((measure) => (measure === "elapsed" ? seconds(of(run)) : "")),
    ),
  ];
  return [
    [state.by, ...head],
    ...pivotRows(state.by, state.measure).map((row) => line(row.label, row.cells)),
    line("GPU time", runs.map((run) => run.all)),
    off(NON_GPU, (run) => run.nonGpu),
    off(`GPU time and ${NON_GPU}`, (run) => run.all.elapsed + run.nonGpu),
  ];
}
