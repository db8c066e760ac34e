// The parts of the page: each is a card of tables and bars.

/** A card with one table; null if the table has no rows. */
function rowsCard(id, title, note, options, ...children) {
  if (options.rows.length === 0) return null;
  const table = new DataTable({ title, file: id, ...options });
  table.draw();
  return tableCard(table, title, note, ...children.filter(Boolean));
}

const runColumn = { name: "run", title: "Run", kind: "text", of: (row) => shortIds[row.run], csv: (row) => runs[row.run].run };
const forRuns = () => (runs.length > 1 ? [runColumn] : []);

const column = (name, title, kind, more = {}) => ({ name, title, kind, of: (row) => row[name], ...more });

function splitLegend(parts, whole) {
  return element(
    "div",
    { className: "split-legend" },
    ...parts.map((part) =>
      element("span", { title: exactTime(part.ns) }, swatch(part.color), `${part.title} ${humanTime(part.ns)} · ${share(part.ns, whole, 1)}`),
    ),
  );
}

/** One bar per run with its legend: `total_ns` by the values of the column `by`, drawn as in `looks`. */
function splits(rows, by, looks) {
  return [...groupBy(rows, (row) => row.run)].map(([run, ofRun]) => {
    const parts = ofRun.map((row) => {
      const look = looks[row[by]] || { title: printable(row[by].replaceAll("_", " ")), color: REST };
      return { ...look, ns: BigInt(row.total_ns) };
    });
    const whole = sumOf(parts.map((part) => part.ns));
    return element(
      "div",
      { className: "split" },
      runs.length > 1 ? element("span", { className: "split-run" }, shortIds[run]) : null,
      stackedBar(parts, whole),
      splitLegend(parts, whole),
    );
  });
}

const labelParts = (row) =>
  labelsOf(row).map((one) => ({
    title: printable(one.label),
    ns: BigInt(one.total_ns),
    color: lookOf(state.by, one.label).color,
  }));

/** Labels of all rows, those with most time first. */
function labelSums(rows) {
  const sums = new Map();
  for (const row of rows) {
    for (const one of labelParts(row)) {
      const sum = sums.get(one.title) || { ...one, ns: 0n };
      sum.ns += one.ns;
      sums.set(one.title, sum);
    }
  }
  return [...sums.values()].sort((a, b) => (a.ns < b.ns ? 1 : -1));
}

function labelLegend(rows) {
  const sums = labelSums(rows);
  const most = 16;
  const shown = sums.slice(0, most);
  return element(
    "div",
    { className: "split-legend" },
    ...shown.map((one) => element("span", {}, swatch(one.color), one.title)),
    sums.length > most ? element("span", { className: "faint" }, `and ${sums.length - most} more`) : null,
  );
}

const KIND_COLORS = { compute: "var(--compute)", communication: "var(--communication)", memory: "var(--memory)" };

function kernelsCard() {
  return rowsCard("kernels_by_device", "Kernels and copies", "one row per name and device", {
    rows: rowsOf("kernels_by_device"),
    sort: "-total_ns",
    searched: ["name", "kind"],
    columns: [
      column("name", "Name", "name", { swatch: (row) => KIND_COLORS[row.kind] || REST }),
      column("kind", "Kind", "text"),
      ...forRuns(),
      column("device", "Device", "id"),
      column("instances", "Calls", "count"),
      column("total_ns", "Total", "time"),
      column("share", "Share", "share", { heat: true }),
      column("mean_ns", "Mean", "mean"),
      column("stddev_ns", "Deviation", "mean", { hint: "standard deviation of the sample" }),
      column("min_ns", "Min", "time"),
      column("max_ns", "Max", "time"),
    ],
  });
}

function activityCard() {
  const longest = rowsOf("activity_longest").filter((row) => row.instances > 0);
  const keyOf = (row, percent) => `${row.run}\n${percent}\n${row.type}`;
  const byKey = new Map(longest.map((row) => [keyOf(row, row.percent), row]));
  const percents = [...new Set(rowsOf("activity_longest").map((row) => row.percent))];
  return rowsCard("activity", "Types of activity", "with the longest operations of each type", {
    rows: rowsOf("activity"),
    columns: [
      column("type", "Type", "text"),
      ...forRuns(),
      column("instances", "Count", "count"),
      column("total_ns", "Total", "time"),
      column("mean_ns", "Mean", "mean"),
      column("min_ns", "Min", "time"),
      column("max_ns", "Max", "time"),
      ...percents.flatMap((percent) => {
        const group = `longest ${percent} %`;
        const of = (name) => (row) => byKey.get(keyOf(row, percent))?.[name];
        return [
          { name: `share${percent}`, title: "Share", kind: "share", heat: true, group, of: of("share") },
          { name: `mean${percent}`, title: "Mean", kind: "mean", group, of: of("mean_ns") },
        ];
      }),
    ],
  });
}

const IDLE_LOOKS = {
  host_bound: { title: "Host-bound idle time", color: "var(--communication)" },
  other: { title: "Other idle time", color: "var(--idle)" },
};

function launchesCard() {
  const matching = rowsOf("launch_matching").map((row) => {
    const lead = runs.length > 1 ? `${shortIds[row.run]}: ` : "";
    const without =
      row.orphans > 0
        ? `; ${grouped(row.orphans)} do not: they were launched before the trace began, or by calls that it does not contain.`
        : ".";
    return element("p", { className: "part-note" }, `${lead}${grouped(row.linked)} of ${grouped(row.linked + row.orphans)} operations have a launch in the trace${without}`);
  });
  const idle = splits(rowsOf("idle"), "cause", IDLE_LOOKS);
  const table = rowsCard(
    "launches",
    "Launches by call",
    "",
    {
      rows: rowsOf("launches"),
      sort: "-total_ns",
      columns: [
        column("api", "Call", "name"),
        ...forRuns(),
        column("calls", "Calls", "count"),
        column("operations", "Operations", "count", { hint: "operations that these calls launched" }),
        column("total_ns", "Time of calls", "time"),
        column("delay_mean_ns", "Mean delay", "mean", { hint: "from the start of a call to the start of each operation that it launched" }),
        column("short_kernels", "Short kernels", "count", { hint: "kernels that took less time than the call that launched them" }),
        column("running_at_next_launch", "Running at next launch", "count", { hint: "kernels that were running when the next launching call of the same thread began" }),
      ],
    },
    ...idle,
    ...matching,
  );
  if (table !== null) return table;
  return idle.length + matching.length > 0 ? card("launches", "Launches", "", [], ...idle, ...matching) : null;
}

function launchQueueCard() {
  return rowsCard("launch_queue", "Queues", "launched operations that had not begun, per stream", {
    rows: rowsOf("launch_queue"),
    sort: "-mean",
    columns: [
      ...forRuns(),
      column("device", "Device", "id"),
      column("stream", "Stream", "id"),
      column("launches", "Calls", "count"),
      column("operations", "Operations", "count"),
      column("mean", "Mean at a call", "number"),
      column("max", "Max at a call", "count"),
      column("time_weighted_mean", "Mean over time", "number"),
    ],
  });
}

const EVIDENCE_LOOKS = {
  launch: { title: "In modules", color: "var(--compute)" },
  layer: { title: "In repeated blocks", color: "var(--memory)" },
  none: { title: "In neither", color: "var(--idle)" },
};

function attributionCard() {
  const rows = rowsOf("attribution");
  if (rows.every((row) => row.evidence === "none" || row.operations === 0)) return null;
  return card("attribution", "Attribution", "time of operations by their place in the model", [], ...splits(rows, "evidence", EVIDENCE_LOOKS));
}

/** A column of bars by label, in the same order in all rows; none without labels. */
function labelsColumns(rows) {
  if (dimensions.length === 0) return [];
  const longest = largestOf(rows.map((row) => row.total_ns));
  const place = new Map(labelSums(rows).map((one, at) => [one.title, at]));
  const bar = (row) =>
    stackedBar(labelParts(row).sort((a, b) => place.get(a.title) - place.get(b.title)), longest);
  return [{ name: "labels", title: state.by, kind: "bar", of: bar }];
}

/** Columns that have a value in at least one row. */
const present = (rows, columns) =>
  columns.filter((one) => rows.some((row) => one.of(row) !== null && one.of(row) !== undefined));

function phasesCard() {
  const rows = rowsOf("phases");
  return rowsCard(
    "phases",
    "Phases",
    "operations by the annotation that encloses their launch",
    {
      rows,
      columns: [
        column("phase", "Phase", "text"),
        ...forRuns(),
        ...present(rows, [
          column("steps", "Steps", "count"),
          column("batch", "Requests", "count"),
          column("tokens", "Tokens", "count"),
        ]),
        column("instances", "Operations", "count"),
        column("total_ns", "Total", "time"),
        column("busy_ns", "Busy", "time"),
        ...labelsColumns(rows),
      ],
    },
    labelLegend(rows),
  );
}

function layersCard() {
  return rowsCard("layers", "Layers", "blocks of kernels that repeat", {
    rows: rowsOf("layers"),
    columns: [
      ...forRuns(),
      column("device", "Device", "id"),
      column("level", "Level", "id", { hint: "1 or more: inside one layer of the block before" }),
      column("repeats", "Layers", "count"),
      column("period", "Kernels per layer", "count"),
      column("mean_ns", "Mean per layer", "mean"),
      column("total_ns", "Total", "time"),
      column("evidence", "Evidence", "name"),
    ],
  });
}

function namesOnlyInCard() {
  return rowsCard("names_only_in", "Names that not all runs have", "", {
    rows: rowsOf("names_only_in"),
    sort: "-total_ns",
    searched: ["name", "run"],
    columns: [
      column("name", "Name", "name"),
      { ...runColumn, title: "Run that has it" },
      column("instances", "Calls", "count"),
      column("total_ns", "Total", "time"),
    ],
  });
}

/** One row per pair of types, with its rows of the table by percent. */
function activityPairs() {
  const keyOf = (row) => [row.run_a, row.type_a, row.run_b, row.type_b].join("\n");
  return [...groupBy(rowsOf("activity_ratios"), keyOf).values()].map((rows) => ({
    ...rows[0],
    ratios: new Map(rows.map((row) => [row.percent, row.ratio])),
  }));
}

function activityRatiosCard() {
  const side = (run, type) => (runs.length > 1 ? `${shortIds[runNumbers.get(run)]} · ${type}` : type);
  const percents = [...new Set(rowsOf("activity_ratios").map((row) => row.percent))];
  return rowsCard("activity_ratios", "Activity compared", "mean duration of the second divided by that of the first", {
    rows: activityPairs(),
    columns: [
      { name: "a", title: "First", kind: "text", of: (row) => side(row.run_a, row.type_a) },
      { name: "b", title: "Second", kind: "text", of: (row) => side(row.run_b, row.type_b) },
      ...percents.map((percent) => ({
        name: `percent${percent}`,
        title: percent === 100 ? "All" : `Longest ${percent} %`,
        kind: "times",
        of: (row) => row.ratios.get(percent),
      })),
    ],
  });
}
