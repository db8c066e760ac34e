// The table of distinct names: sorted, searched, and drawn only where it is seen.

const ROW = 30; // pixels; page.css has the same
const TALLEST = 500; // pixels; as in page.css
const MOST_ROWS = 400000; // taller tables than browsers can scroll are cut
const MOST_OPTIONS = 200;
const EXTRA_ROWS = 12; // drawn beyond what is seen

const COLUMNS = [
  { name: "name", title: "Name" },
  { name: "label", title: "" },
  { name: "run", title: "Run" },
  { name: "instances", title: "Instances", number: true },
  { name: "elapsed", title: "Elapsed", number: true, inUnit: true },
  { name: "share", title: "Share", number: true },
  { name: "total", title: "Total", number: true, inUnit: true },
  { name: "average", title: "Average", number: true },
  { name: "min", title: "Min", number: true },
  { name: "max", title: "Max", number: true },
];

let rowsShown = []; // numbers of rows, filtered and sorted
let chosenRow = -1;
let lowered = null; // names in lower case, made at the first search
let drawnFrom = -1;

const columnsShown = () => COLUMNS.filter((column) => column.name !== "run" || runs.length > 1);

/** What tells the runs apart: their ids without the words that all of them begin with. */
const shortIds = (() => {
  const ids = runs.map((run) => run.id);
  if (ids.length < 2) return ids;
  let common = 0;
  while (ids.every((id) => id[common] !== undefined && id[common] === ids[0][common])) ++common;
  const word = ids[0].slice(0, common).lastIndexOf("_") + 1;
  return ids.map((id) => (word > 0 && id.length > word ? `…${id.slice(word)}` : id));
})();

function filteredRows() {
  const search = state.search.toLowerCase();
  if (search !== "" && lowered === null) {
    lowered = data.texts.map((text) => printable(text).toLowerCase());
  }
  const run = state.run === "" ? -1 : Number(state.run);
  const rows = [];
  for (let row = 0; row < kernels.count; ++row) {
    if (run >= 0 && kernels.run[row] !== run) continue;
    if (state.label !== "" && kernels.label(row, state.by) !== state.label) continue;
    if (search !== "") {
      const text = runs[kernels.run[row]].kernels.name[kernels.at[row]];
      if (!lowered[text].includes(search)) continue;
    }
    rows.push(row);
  }
  return rows;
}

/** Compares two rows by a column; equal ones stay as they are: by run, elapsed falling. */
function comparer(column) {
  const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
  switch (column) {
    case "name":
      return (a, b) => order(kernels.name(a), kernels.name(b));
    case "label":
      return (a, b) => order(kernels.label(a, state.by), kernels.label(b, state.by));
    case "run":
      return (a, b) => kernels.run[a] - kernels.run[b];
    case "share":
      // Parts of different wholes: compared by cross products, exactly.
      return (a, b) =>
        order(
          kernels.elapsed[a] * runs[kernels.run[b]].all.elapsed,
          kernels.elapsed[b] * runs[kernels.run[a]].all.elapsed,
        );
    default: {
      const values = kernels[column];
      return (a, b) => order(values[a], values[b]);
    }
  }
}

function sorting() {
  const falling = state.sort.startsWith("-");
  const column = falling ? state.sort.slice(1) : state.sort;
  return COLUMNS.some((one) => one.name === column)
    ? { column, falling }
    : { column: "elapsed", falling: true };
}

function sortBy(column) {
  const now = sorting();
  const number = COLUMNS.find((one) => one.name === column).number;
  const falling = now.column === column ? !now.falling : Boolean(number);
  update({ sort: (falling ? "-" : "") + column });
}

function drawHead(unit) {
  const { column: sorted, falling } = sorting();
  byId("kernels-columns").replaceChildren(
    ...columnsShown().map((column) => element("col", { className: `col-${column.name}` })),
  );
  const focused = byId("kernels-head").contains(document.activeElement)
    ? document.activeElement.dataset.column
    : null;
  const cells = columnsShown().map((column) => {
    const name = column.name === "label" ? state.by : column.title;
    const title = column.inUnit ? `${name} (${unit.name})` : name;
    const active = column.name === sorted;
    const button = element("button", { type: "button", onclick: () => sortBy(column.name) }, title);
    button.dataset.column = column.name;
    button.append(
      element("span", { className: "arrow", "aria-hidden": "true" }, active ? (falling ? "↓" : "↑") : ""),
    );
    return element(
      "th",
      {
        scope: "col",
        className: column.number ? "number" : "",
        "aria-sort": active ? (falling ? "descending" : "ascending") : "none",
      },
      button,
    );
  });
  byId("kernels-head").replaceChildren(element("tr", {}, ...cells));
  if (focused) byId("kernels-head").querySelector(`[data-column="${focused}"]`)?.focus();
}

function kernelCells(row, unit) {
  const run = runs[kernels.run[row]];
  const label = kernels.label(row, state.by);
  return columnsShown().map((column) => {
    switch (column.name) {
      case "name": {
        const name = printable(kernels.name(row));
        return element("td", { className: "name", title: shortened(name, 600) }, shortened(name, 400));
      }
      case "label":
        return element(
          "td",
          { className: "name plain", title: shortened(printable(label), 200) },
          swatch(styleOf(state.by, label).color),
          shortened(printable(label), 80),
        );
      case "run":
        return element(
          "td",
          { className: "name plain", title: printable(run.id) },
          printable(shortIds[kernels.run[row]]),
        );
      case "share":
        return element("td", { className: "number" }, share(kernels.elapsed[row], run.all.elapsed));
      case "instances":
        return element("td", { className: "number" }, grouped(kernels.instances[row]));
      default: {
        const ns = kernels[column.name][row];
        const exact = column.inUnit || state.unit !== "auto";
        return roundedCell(exact ? roundedTime(ns, unit) : humanTime(ns), ns);
      }
    }
  });
}

/** Draws the rows in view between two blank rows as tall as those above and below. */
function drawRows(force) {
  const box = byId("kernels-scroll");
  const head = byId("kernels-head").offsetHeight;
  const seen = Math.ceil((Math.max(box.clientHeight, TALLEST) - head) / ROW) + 1;
  const first = Math.max(Math.floor(box.scrollTop / ROW) - EXTRA_ROWS, 0);
  const from = first - (first % EXTRA_ROWS);
  if (!force && from === drawnFrom) return;
  drawnFrom = from;
  const to = Math.min(from + seen + 3 * EXTRA_ROWS, rowsShown.length);
  const unit = sumUnit();
  const blankRow = (count) => {
    const cell = element("td", { colSpan: columnsShown().length, style: { height: `${count * ROW}px` } });
    return element("tr", { className: "blank", "aria-hidden": "true", hidden: count === 0 }, cell);
  };
  const lines = [];
  for (let at = from; at < to; ++at) {
    const row = rowsShown[at];
    const line = element("tr", { "aria-rowindex": at + 2 }, ...kernelCells(row, unit));
    line.dataset.at = at;
    line.classList.toggle("chosen", row === chosenRow);
    if (row === chosenRow) line.setAttribute("aria-selected", "true");
    lines.push(line);
  }
  if (rowsShown.length === 0) {
    const cell = element("td", { colSpan: columnsShown().length, className: "nothing" }, "No name matches.");
    lines.push(element("tr", {}, cell));
  }
  byId("kernels-body").replaceChildren(blankRow(from), ...lines, blankRow(rowsShown.length - to));
}

function drawCount(found) {
  const sum = rowsShown.reduce((all, row) => all + kernels.elapsed[row], 0n);
  const run = state.run === "" ? null : runs[Number(state.run)];
  const whole = run ? run.all.elapsed : runs.reduce((all, one) => all + one.all.elapsed, 0n);
  const count = found === kernels.count ? grouped(found) : `${grouped(found)} of ${grouped(kernels.count)}`;
  const cutOff = found > rowsShown.length ? `, the first ${grouped(rowsShown.length)} shown` : "";
  byId("kernels-count").textContent =
    `${count} name${found === 1 ? "" : "s"}${cutOff} · ${humanTime(sum)} · ${share(sum, whole)}`;
}

function drawFilters() {
  const labels = pivotRows(state.by, "elapsed").map((row) => row.label);
  if (state.label !== "" && !labels.includes(state.label)) state.label = "";
  // A dimension that keeps names has thousands of labels, which the search finds better.
  const listed = labels.slice(0, MOST_OPTIONS);
  if (state.label !== "" && !listed.includes(state.label)) listed.push(state.label);
  byId("label-filter").replaceChildren(
    element("option", { value: "" }, `every ${state.by}`),
    ...listed.map((label) => element("option", { value: label }, shortened(printable(label), 48))),
  );
  byId("label-filter").value = state.label;
  const runFilter = byId("run-filter");
  runFilter.hidden = runs.length < 2;
  runFilter.replaceChildren(
    element("option", { value: "" }, "every run"),
    ...runs.map((run, at) =>
      element("option", { value: String(at) }, shortened(printable(run.id), 48)),
    ),
  );
  runFilter.value = state.run;
  if (byId("search").value !== state.search) byId("search").value = state.search;
}

function drawKernels() {
  drawFilters();
  const found = filteredRows();
  const { column, falling } = sorting();
  const compare = comparer(column);
  found.sort((a, b) => (falling ? -compare(a, b) : compare(a, b)) || a - b);
  rowsShown = found.slice(0, MOST_ROWS);
  byId("kernels").setAttribute("aria-rowcount", String(rowsShown.length + 1));
  drawHead(sumUnit());
  byId("kernels-scroll").scrollTop = 0;
  drawRows(true);
  drawCount(found.length);
  if (!rowsShown.includes(chosenRow)) chosenRow = -1;
  drawDetail();
}

/** All there is to know of the row chosen: the whole name, and who gave its labels. */
function drawDetail() {
  const box = byId("detail");
  if (chosenRow < 0) {
    box.replaceChildren(
      element("p", { className: "faint" }, "Select a row to see its whole name, its labels and the rules that assigned them."),
    );
    return;
  }
  const row = chosenRow;
  const run = runs[kernels.run[row]];
  const fact = (name, ...value) => [element("dt", {}, name), element("dd", {}, ...value)];
  const labels = run.dimensions.flatMap((dimension) => {
    const [label, rule] = kernels.given(row, dimension.name);
    return fact(
      dimension.name,
      swatch(styleOf(dimension.name, label).color),
      shortened(printable(label), 200),
      element("span", { className: "faint" }, rule === "" ? "  no rule" : `  ${printable(rule)}`),
    );
  });
  const button = element("button", { type: "button", className: "quiet" }, "Copy name");
  button.addEventListener("click", () => copy(button, kernels.name(row)));
  box.replaceChildren(
    element("pre", { className: "whole-name", tabIndex: 0 }, printable(kernels.name(row))),
    element(
      "dl",
      { className: "pairs" },
      ...(runs.length > 1 ? fact("run", printable(run.id)) : []),
      ...fact("operation", kernels.kind(row)),
      ...labels,
      ...fact("elapsed", exactTime(kernels.elapsed[row]), ` · ${share(kernels.elapsed[row], run.all.elapsed)}`),
      ...fact("total", exactTime(kernels.total[row]), ` · ${grouped(kernels.instances[row])} instances`),
    ),
    button,
  );
}

function chooseRow(at) {
  if (rowsShown.length === 0) return;
  const place = Math.min(Math.max(at, 0), rowsShown.length - 1);
  chosenRow = rowsShown[place];
  const box = byId("kernels-scroll");
  const head = byId("kernels-head").offsetHeight;
  const top = place * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  const bottom = top + ROW + head - box.clientHeight;
  if (bottom > box.scrollTop) box.scrollTop = bottom;
  drawRows(true);
  drawDetail();
}

function setUpKernels() {
  const box = byId("kernels-scroll");
  box.addEventListener("scroll", () => drawRows(false), { passive: true });
  new ResizeObserver(() => drawRows(true)).observe(box);
  byId("kernels-body").addEventListener("click", (event) => {
    const line = event.target.closest("tr[data-at]");
    if (line) chooseRow(Number(line.dataset.at));
  });
  box.addEventListener("keydown", (event) => {
    const now = rowsShown.indexOf(chosenRow);
    const page = Math.max(Math.floor(box.clientHeight / ROW) - 2, 1);
    const moves = {
      ArrowDown: now + 1,
      ArrowUp: Math.max(now - 1, 0),
      PageDown: now + page,
      PageUp: now - page,
      Home: 0,
      End: rowsShown.length - 1,
    };
    if (event.target === box && event.key in moves) {
      event.preventDefault();
      chooseRow(moves[event.key]);
    }
  });
}

function kernelCsv() {
  const head = ["Model_Engine", state.by, "Instances", "Name", "Elapsed Time (sec)", "Total Time (sec)", "Min (ns)", "Max (ns)"];
  const lines = rowsShown.map((row) => [
    runs[kernels.run[row]].id,
    kernels.label(row, state.by),
    kernels.instances[row],
    kernels.name(row),
    seconds(kernels.elapsed[row]),
    seconds(kernels.total[row]),
    kernels.min[row],
    kernels.max[row],
  ]);
  return [head, ...lines];
}
