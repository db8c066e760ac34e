// The table of distinct names. A row that is chosen shows its whole name, its labels and their rules.

const MOST_OPTIONS = 200;

function kernelColumns() {
  const run = (row) => runs[kernels.run[row]];
  const number = (name, title, kind, more) => ({ name, title, kind, of: (row) => kernels[name][row], ...more });
  const label = (row) => kernels.label(row, state.by);
  return [
    { name: "name", title: "Name", kind: "name", of: kernels.name },
    { name: "label", title: state.by, kind: "text", of: label, swatch: (row) => styleOf(state.by, label(row)).color },
    ...(runs.length > 1
      ? [{ name: "run", title: "Run", kind: "text", width: 116, of: (row) => shortIds[kernels.run[row]], csv: (row) => run(row).id, title_of: (row) => printable(run(row).id) }]
      : []),
    number("instances", "Instances", "count"),
    number("elapsed", "Elapsed", "rounded", { unit: sumUnit() }),
    { name: "share", title: "Share", kind: "part", of: (row) => [kernels.elapsed[row], run(row).all.elapsed] },
    number("total", "Total", "rounded", { unit: sumUnit() }),
    number("average", "Average", "human"),
    number("min", "Min", "human"),
    number("max", "Max", "human"),
    { name: "type", title: "Type", kind: "text", saved: true, of: kernels.kind },
    { name: "rule", title: "Rule", kind: "text", saved: true, of: (row) => kernels.given(row, state.by)[1] },
  ];
}

const select = (label, name) => element("select", { "aria-label": label, onchange: (event) => update({ [name]: event.target.value }) });
const labelFilter = select("Label", "label");
const runFilter = select("Run", "run");

const kernelTable = new DataTable({
  title: "Kernels and copies",
  file: "kernels",
  noun: "name",
  tall: true,
  rows: [...kernels.run.keys()],
  columns: [],
  sort: DEFAULTS.sort,
  searched: ["name"],
  placeholder: "Search names",
  filters: [labelFilter, runFilter],
  filter: (row) =>
    (state.run === "" || kernels.run[row] === Number(state.run)) && (state.label === "" || kernels.label(row, state.by) === state.label),
  counted: (rows) => {
    const sum = rows.reduce((all, row) => all + kernels.elapsed[row], 0n);
    return `${humanTime(sum)} · ${share(sum, state.run === "" ? gpuTime : runs[Number(state.run)].all.elapsed)}`;
  },
  chosen: drawDetail,
  onchange: (changes) => update(changes),
});
const detail = element("div", { className: "detail", "aria-live": "polite" });

function drawFilters() {
  const labels = pivotOf(state.by).rows.map((row) => row.label);
  // A dimension that keeps names has thousands of labels, which the search finds better.
  const listed = labels.slice(0, MOST_OPTIONS);
  if (state.label !== "" && !listed.includes(state.label)) listed.push(state.label);
  const options = (every, all) => [["", every], ...all].map(([value, text]) => element("option", { value }, shortened(printable(text), 48)));
  labelFilter.replaceChildren(...options(`every ${state.by}`, listed.map((label) => [label, label])));
  labelFilter.value = state.label;
  runFilter.hidden = runs.length < 2;
  runFilter.replaceChildren(...options("every run", runs.map((run, at) => [String(at), run.id])));
  runFilter.value = state.run;
}

function drawKernels() {
  drawFilters();
  kernelTable.set({ columns: kernelColumns(), sort: state.sort, wanted: state.search });
  drawDetail(kernelTable.marked);
}

/** All there is to know of a row: the whole name, and which rules gave its labels. */
function drawDetail(row) {
  if (row === null) {
    detail.replaceChildren(element("p", { className: "faint" }, "Select a row to see its whole name, its labels and the rules that assigned them."));
    return;
  }
  const run = runs[kernels.run[row]];
  const labels = run.dimensions.map((dimension) => {
    const [label, rule] = kernels.given(row, dimension);
    const by = element("span", { className: "faint" }, rule === "" ? "  no rule" : `  ${printable(rule)}`);
    return [dimension, swatch(styleOf(dimension, label).color), shortened(printable(label), 200), by];
  });
  detail.replaceChildren(
    element("pre", { className: "whole-name", tabIndex: 0 }, printable(kernels.name(row))),
    pairs([
      ...(runs.length > 1 ? [["run", printable(run.id)]] : []),
      ["operation", kernels.kind(row)],
      ...labels,
      ["elapsed", exactTime(kernels.elapsed[row]), ` · ${share(kernels.elapsed[row], run.all.elapsed)}`],
      ["total", exactTime(kernels.total[row]), ` · ${grouped(kernels.instances[row])} instances`],
    ]),
    quietButton("Copy name", { onclick: (event) => copy(event.currentTarget, kernels.name(row)) }),
  );
}
