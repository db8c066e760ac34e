// The table of distinct names. A row that is chosen shows its full name, its labels and their rules.

const MOST_OPTIONS = 200;

function kernelColumns() {
  const unit = sumUnit();
  const label = (row) => labelOf(row, state.by);
  return columnsOf(
    {
      table: "kernels",
      columns: [
        ["name", { kind: "name" }],
        { name: "label", title: state.by, kind: "text", of: label, swatch: (row) => lookOf(state.by, label(row)).color },
        "run",
        "instances",
        ...(manyDevices ? [["busy_ns", { unit }]] : []),
        ["elapsed_ns", { unit }],
        "share",
        ["total_ns", { unit }],
        ["mean_ns", { kind: "human" }],
        ["min_ns", { kind: "human" }],
        ["max_ns", { kind: "human" }],
      ],
    },
    kernels,
  );
}

const select = (label, name) => element("select", { "aria-label": label, onchange: (event) => update({ [name]: event.target.value }) });
const labelFilter = select("Label", "label");
const runFilter = select("Run", "run");

const kernelTable = new DataTable({
  title: "Kernels and copies",
  file: "kernels",
  noun: "name",
  tall: true,
  rows: kernels,
  columns: [],
  sort: DEFAULTS.sort,
  searched: ["name"],
  placeholder: "Search names",
  filters: [labelFilter, runFilter],
  filter: (row) =>
    (state.run === "" || row.number === Number(state.run)) && (state.label === "" || labelOf(row, state.by) === state.label),
  counted: (rows) => {
    const sum = sumOf(rows.map((row) => row.busy_ns)); // of the rows that the user chose
    return `${humanTime(sum)} · ${share(sum, (state.run === "" ? allRuns : runs[Number(state.run)].all).busy)}`;
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
  runFilter.replaceChildren(...options("every run", runs.map((run, at) => [String(at), shortId(run.run)])));
  runFilter.value = state.run;
}

function drawKernels() {
  drawFilters();
  kernelTable.set({ columns: kernelColumns(), sort: state.sort, wanted: state.search });
  drawDetail(kernelTable.marked);
}

/** The full name of a row, its labels, and the rules that gave them. */
function drawDetail(row) {
  if (row === null) {
    detail.replaceChildren(element("p", { className: "faint" }, "Select a row to see its full name, its labels and the rules that assigned them."));
    return;
  }
  const run = runs[row.number];
  const labels = dimensions.map((dimension) => {
    const label = labelOf(row, dimension);
    const by = element("span", { className: "faint" }, `  ${printable(ruleOf(row, dimension)) || "no rule"}`);
    return [dimension, swatch(lookOf(dimension, label).color), shortened(printable(label), 200), by];
  });
  const elapsed = BigInt(row.elapsed_ns);
  detail.replaceChildren(
    element("pre", { className: "full-name", tabIndex: 0 }, printable(row.name)),
    pairs([
      ...(shownName(row.name) === printable(row.name) ? [] : [["shown as", shownName(row.name)]]),
      ...(runs.length > 1 ? [["run", shortId(run.run)]] : []),
      ["type", row.type],
      ...labels,
      ["elapsed", exactTime(elapsed), ` · ${share(BigInt(row.busy_ns), run.all.busy)}`],
      ["total", exactTime(BigInt(row.total_ns)), ` · ${grouped(row.instances)} instances`],
    ]),
    quietButton("Copy name", { onclick: (event) => copy(event.currentTarget, row.name) }),
  );
}

const kernelsCard = tableCard(kernelTable, "Kernels and copies", "");
kernelsCard.append(detail); // below the table
SHOWS.kernels = () => (someGpuWork && !compact ? kernelsCard : null);
