// The parts of the page: a card each, made of tables and bars.

/** A card with its heading; what is in `tools` stands beside it. */
function card(id, title, note, tools, ...children) {
  return element(
    "section",
    { className: "card", id, "aria-labelledby": `${id}-title` },
    element(
      "div",
      { className: "card-head" },
      element("h2", { id: `${id}-title` }, title),
      note ? element("span", { className: "faint" }, note) : null,
      ...tools,
    ),
    ...children,
  );
}

/** A card that is one table; none where it has no rows. */
function tableCard(id, title, note, options, ...children) {
  if (options.rows.length === 0) return null;
  const table = new DataTable({ title, file: id, ...options });
  table.draw();
  return card(id, title, note, [table.count, table.tools()], ...children.filter(Boolean), table.box);
}

const runColumn = { name: "run", title: "Run", kind: "text", of: (row) => shortIds[row.run] };
const forRuns = () => (runs.length > 1 ? [runColumn] : []);

/** Rows of one list of all runs, each with the number of its run. */
const rowsOf = (list) => runs.flatMap((run, at) => (list(run) || []).map((row) => ({ ...row, run: at })));

const column = (name, title, kind, more = {}) => ({ name, title, kind, of: (row) => row[name], ...more });

/** Parts of a whole side by side; `whole` is how long the bar is. */
function stackedBar(parts, whole) {
  return element(
    "div",
    { className: "bar", "aria-hidden": "true" },
    ...parts.map((part) =>
      element("span", {
        title: `${part.title}: ${exactTime(part.ns)}`,
        style: { width: `${ratio(part.ns, whole) * 100}%`, backgroundColor: part.color },
      }),
    ),
  );
}

function splitLegend(parts, whole) {
  return element(
    "div",
    { className: "split-legend" },
    ...parts.map((part) =>
      element("span", { title: exactTime(part.ns) }, swatch(part.color), `${part.title} ${humanTime(part.ns)} · ${share(part.ns, whole, 1)}`),
    ),
  );
}

/** One bar a run, with what it says. */
function splits(rows) {
  return rows.map(({ run, parts }) => {
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

const labelParts = (part) =>
  ((part.labels || {})[state.by] || []).map((one) => ({
    title: printable(one.label),
    ns: BigInt(one.total_ns),
    color: lookOf(state.by, one.label).color,
  }));

/** Labels of all parts, the longest first. */
function labelSums(parts) {
  const sums = new Map();
  for (const part of parts) {
    for (const one of labelParts(part)) {
      const sum = sums.get(one.title) || { ...one, ns: 0n };
      sum.ns += one.ns;
      sums.set(one.title, sum);
    }
  }
  return [...sums.values()].sort((a, b) => (a.ns < b.ns ? 1 : -1));
}

function labelLegend(parts) {
  const rows = labelSums(parts);
  const most = 16;
  const shown = rows.slice(0, most);
  return element(
    "div",
    { className: "split-legend", style: { marginBottom: "12px" } },
    ...shown.map((one) => element("span", {}, swatch(one.color), one.title)),
    rows.length > most ? element("span", { className: "faint" }, `and ${rows.length - most} more`) : null,
  );
}

function breakdownCard() {
  if (devices.length === 0) return null;
  const longest = largestOf(devices.map((device) => device.span));
  const unit = unitOf(longest);
  const rows = devices.map((device) => {
    const row = deviceRow(device, unit);
    // Of several devices the longest span is the whole width.
    row.querySelector(".parts").style.width = `${ratio(BigInt(device.span), longest) * 100}%`;
    return row;
  });
  const head = element(
    "tr",
    {},
    header(runs.length > 1 ? "Run · device" : "Device", "label"),
    header("", "parts-cell"),
    header(`Span (${unit.name})`),
    ...PARTS.map((part) => {
      const cell = header("");
      cell.append(swatch(part.color), part.title);
      return cell;
    }),
  );
  return card(
    "breakdown",
    "Devices",
    "span = compute + exposed communication + exposed memory + idle",
    [],
    element(
      "div",
      { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Devices" },
      element("table", { className: "devices" }, element("thead", {}, head), element("tbody", {}, ...rows)),
    ),
  );
}

const KIND_COLORS = { compute: "var(--compute)", communication: "var(--communication)", memory: "var(--memory)" };

function kernelsCard() {
  return tableCard("kernels", "Kernels and copies", "a row a name and device", {
    rows: rowsOf((run) => run.kernels),
    sort: "-total_ns",
    search: ["name", "kind"],
    columns: [
      column("name", "Name", "name", { color: (row) => KIND_COLORS[row.kind] || REST }),
      column("kind", "Kind", "text"),
      ...forRuns(),
      column("device", "Device", "count"),
      column("instances", "Calls", "count"),
      column("total_ns", "Total", "time"),
      column("share", "Share", "share", { heat: true }),
      column("mean_ns", "Mean", "mean"),
      column("stddev_ns", "Deviation", "mean", { hint: "standard deviation of the sample" }),
      column("min_ns", "Least", "time"),
      column("max_ns", "Most", "time"),
    ],
  });
}

function activityCard() {
  const percents = [1, 5, 10];
  const longest = percents.flatMap((percent, at) => [
    { name: `share${percent}`, title: "Share", kind: "share", heat: true, group: `longest ${percent} %`, of: (row) => (row.longest[at].instances ? row.longest[at].share : null) },
    { name: `mean${percent}`, title: "Mean", kind: "mean", group: `longest ${percent} %`, of: (row) => (row.longest[at].instances ? row.longest[at].mean_ns : null) },
  ]);
  return tableCard("activity", "Types of activity", "with what the longest of each take", {
    rows: rowsOf((run) => run.activity),
    columns: [
      column("type", "Type", "text"),
      ...forRuns(),
      column("instances", "Count", "count"),
      column("total_ns", "Total", "time"),
      { name: "mean", title: "Mean", kind: "mean", of: (row) => Number(row.total_ns) / Math.max(1, row.instances) },
      column("min_ns", "Least", "time"),
      column("max_ns", "Most", "time"),
      ...longest,
    ],
  });
}

function launchesCard() {
  const linked = rowsOf((run) => (run.launches ? [run.launches] : []));
  const rows = rowsOf((run) => run.launches && run.launches.by_api);
  if (linked.length === 0) return null;
  const idle = splits(
    linked
      .filter((row) => row.idle)
      .map((row) => ({
        run: row.run,
        parts: [
          { title: "Idle, bound by the host", ns: BigInt(row.idle.host_bound_ns), color: "var(--communication)" },
          { title: "Idle otherwise", ns: BigInt(row.idle.other_ns), color: "var(--idle)" },
        ],
      })),
  );
  const orphans = linked.map((row) => {
    const all = row.linked + row.orphans;
    const lead = runs.length > 1 ? `${shortIds[row.run]}: ` : "";
    return element("p", { className: "part-note" }, `${lead}${grouped(row.linked)} of ${grouped(all)} operations have a launch in the trace` +
      (row.orphans > 0 ? `; ${grouped(row.orphans)} do not: they were launched before it began, or by what it does not tell of.` : "."));
  });
  return (
    tableCard(
      "launches",
      "Launches by call",
      "",
      {
        rows,
        sort: "-total_ns",
        columns: [
          column("api", "Call", "name"),
          ...forRuns(),
          column("instances", "Calls", "count"),
          column("operations", "Operations", "count", { hint: "that they launched" }),
          column("total_ns", "Time of calls", "time"),
          column("delay_mean_ns", "Mean delay", "mean", { hint: "from the start of a call to that of each of its operations" }),
          column("short_kernels", "Short kernels", "count", { hint: "kernels that took less than their call" }),
          column("running_at_next_launch", "Running at next launch", "count", { hint: "kernels that were running when the next launching call of the thread began" }),
        ],
      },
      ...idle,
      ...orphans,
    ) || card("launches", "Launches", "", [], ...idle, ...orphans)
  );
}

function queuesCard() {
  return tableCard("queues", "Queues", "operations that were asked for and had not begun, a stream", {
    rows: rowsOf((run) => run.launches && run.launches.queues),
    sort: "-mean",
    columns: [
      ...forRuns(),
      column("device", "Device", "count"),
      column("stream", "Stream", "count"),
      column("launches", "Calls", "count"),
      column("operations", "Operations", "count"),
      column("mean", "Mean at a call", "number"),
      column("max", "Most at a call", "count"),
      column("time_weighted_mean", "Mean over time", "number"),
    ],
  });
}

function attributionCard() {
  const rows = runs.flatMap((run, at) => (run.attribution ? [{ run: at, ...run.attribution }] : []));
  if (rows.every((row) => BigInt(row.module_ns) + BigInt(row.layer_ns) === 0n)) return null;
  return card(
    "attribution",
    "Attribution",
    "time of operations by what their launch stands in",
    [],
    ...splits(
      rows.map((row) => ({
        run: row.run,
        parts: [
          { title: "In modules", ns: BigInt(row.module_ns), color: "var(--compute)" },
          { title: "In layers found otherwise", ns: BigInt(row.layer_ns), color: "var(--memory)" },
          { title: "In neither", ns: BigInt(row.none_ns), color: "var(--idle)" },
        ],
      })),
    ),
  );
}

/** Bars by label, in the same order in all rows. */
function labelsColumn(rows) {
  const longest = largestOf(rows.map((row) => row.total_ns));
  const place = new Map(labelSums(rows).map((one, at) => [one.title, at]));
  const bar = (row) =>
    stackedBar(labelParts(row).sort((a, b) => place.get(a.title) - place.get(b.title)), longest);
  return { name: "labels", title: state.by, kind: "bar", of: bar };
}

/** Columns that some of the rows have something for. */
const present = (rows, columns) =>
  columns.filter((one) => rows.some((row) => one.of(row) !== null && one.of(row) !== undefined));

function phasesCard() {
  const rows = rowsOf((run) => run.phases);
  return tableCard(
    "phases",
    "Phases",
    "operations by the annotation their launch stands in",
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
        ...present(rows, [column("busy_ns", "Busy", "time")]),
        labelsColumn(rows),
      ],
    },
    labelLegend(rows),
  );
}

function layersCard() {
  return tableCard("layers", "Layers", "stretches of kernels that repeat", {
    rows: rowsOf((run) => run.layers),
    columns: [
      ...forRuns(),
      column("device", "Device", "count"),
      column("level", "Level", "count", { hint: "1 and more: inside one layer of the stretch before" }),
      column("repeats", "Layers", "count"),
      column("period", "Kernels a layer", "count"),
      column("per_layer_mean_ns", "Mean of a layer", "mean"),
      column("total_ns", "Total", "time"),
      column("evidence", "Evidence", "name"),
    ],
  });
}

function onlyCard() {
  const number = new Map(runs.map((run, at) => [run.id, at]));
  return tableCard("names_only_in", "Names that some runs lack", "", {
    rows: (data.names_only_in || []).map((row) => ({ ...row, run: number.get(row.run) })),
    sort: "-total_ns",
    search: ["name", "run"],
    columns: [
      column("name", "Name", "name"),
      { ...runColumn, title: "Run that has it" },
      column("instances", "Calls", "count"),
      column("total_ns", "Total", "time"),
    ],
  });
}

function compareCard() {
  const short = new Map(runs.map((run, at) => [run.id, shortIds[at]]));
  const side = (id, type) => (runs.length > 1 ? `${short.get(id)} · ${type}` : type);
  return tableCard("compare", "Activity compared", "means of the second by means of the first", {
    rows: data.compare || [],
    columns: [
      { name: "a", title: "First", kind: "text", of: (row) => side(row.run_a, row.type_a) },
      { name: "b", title: "Second", kind: "text", of: (row) => side(row.run_b, row.type_b) },
      column("ratio", "All", "times"),
      ...[1, 5, 10].map((percent, at) => ({
        name: `longest${percent}`,
        title: `Longest ${percent} %`,
        kind: "times",
        of: (row) => row.longest[at].ratio,
      })),
    ],
  });
}
