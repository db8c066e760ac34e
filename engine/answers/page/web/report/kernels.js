// The table of distinct names. A row that is chosen shows its full name, its labels and their rules.

const MOST_OPTIONS = 200;

function kernelColumns() {
  const unit = sumUnit();
  const time = shownTime();
  const part = (row) => ratio(BigInt(row[`${time}_ns`]), runs[row.number].all[time]);
  const label = (row) => labelOf(row, state.by);
  return columnsOf(
    {
      table: "kernels",
      columns: [
        ["name", { kind: "name" }],
        { name: "label", title: state.by, kind: "text", of: label, swatch: (row) => lookOf(state.by, label(row)).color },
        "run",
        "instances",
        [`${time}_ns`, { unit }],
        ["share", { of: part, csv_title: time === "busy" ? "share" : `share of ${time}_ns`, hint: `${time}_ns as a part of that of the run` }],
        ["mean_ns", { fine: true, compared: "duration", title: "Mean duration" }],
        ["min_ns", { fine: true, compared: "duration", title: "Min duration" }],
        ["max_ns", { fine: true, compared: "duration", title: "Max duration" }],
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
  sort: `-${DEFAULTS.measure}_ns`,
  searched: ["name"],
  placeholder: "Search names",
  filters: [labelFilter, runFilter],
  filter: (row) =>
    (state.run === "" || row.number === Number(state.run)) && (state.label === "" || labelOf(row, state.by) === state.label),
  counted: (rows) => {
    const time = shownTime();
    const sum = sumOf(rows.map((row) => row[`${time}_ns`])); // of the rows that the user chose
    return `${time} ${humanTime(sum)} · ${share(sum, (state.run === "" ? allRuns : runs[Number(state.run)].all)[time])}`;
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
  kernelTable.set({ columns: kernelColumns(), sort: sortOf(), wanted: state.search });
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
  detail.replaceChildren(
    element("pre", { className: "full-name", tabIndex: 0 }, printable(row.name)),
    pairs([
      ...(shownName(row.name) === printable(row.name) ? [] : [["shown as", shownName(row.name)]]),
      ...(runs.length > 1 ? [["run", shortId(run.run)]] : []),
      ["type", row.type],
      ...labels,
      ...["busy", "elapsed", "total"].map((time) => [time, exactTime(BigInt(row[`${time}_ns`])), ` · ${share(BigInt(row[`${time}_ns`]), run.all[time])}`]),
      ["instances", grouped(row.instances)],
    ]),
    quietButton("Copy name", { onclick: (event) => copy(event.currentTarget, row.name) }),
  );
}

const kernelsCard = tableCard(kernelTable, "Kernels and copies", "");
kernelsCard.append(detail); // below the table
SHOWS.kernels = () => (someGpuWork && !compact ? kernelsCard : null);
