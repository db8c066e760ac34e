// Devices: what each did over its span. The four parts add up to the span, to the nanosecond.

const PARTS = [
  { name: "compute", title: "Compute", color: "var(--compute)" },
  { name: "exposed_communication", title: "Exposed communication", all: "communication", color: "var(--communication)" },
  { name: "exposed_memory", title: "Exposed memory", all: "memory", color: "var(--memory)" },
  { name: "idle", title: "Idle", color: "var(--idle)" },
];

const MOST_IN_ORDER = 20; // devices

const timeOf = (row, name) => BigInt(row[`${name}_ns`]);

SHOWS.devices = (entry) => {
  const longest = largestOf(rowsOf("devices").map((row) => row.span_ns));
  const bar = (row) => {
    const parts = PARTS.map(({ name, title, color }) => ({ title, color, ns: timeOf(row, name), share: ratio(timeOf(row, name), timeOf(row, "span")) }));
    const made = stackedBar(parts);
    made.style.width = `${ratio(timeOf(row, "span"), longest) * 100}%`; // the longest is as wide as the cell
    return made;
  };
  const part = ({ name, title, all, color }) => [
    `${name}_ns`,
    {
      title,
      plain: true, // the unit is that of the span
      swatch: color,
      // What is hidden, too, where some is; in the unit of the column.
      below: (row) =>
        share(timeOf(row, name), timeOf(row, "span")) +
        (all && timeOf(row, all) > timeOf(row, name) ? ` · ${roundedTime(timeOf(row, all), unitOf(longest))} in all` : ""),
      unit: unitOf(longest),
    },
  ];
  const span = { below: (row) => `busy ${share(timeOf(row, "busy"), timeOf(row, "span"))}`, unit: unitOf(longest) };
  // Of many ranks those that need most time themselves come first.
  const own = { name: "own_ns", title: "Own time", csv_title: "own_ns", kind: "time", saved: true, of: (row) => timeOf(row, "span") - timeOf(row, "exposed_communication") };
  return SHOWS.table({
    ...entry,
    sort: rowsOf("devices").length > MOST_IN_ORDER && rowsOf("ranks").length > 0 ? "-own_ns" : "",
    columns: [
      own,
      "run",
      "device",
      ["device_name", { title: "Name" }],
      { name: "bar", title: "Parts of the span", kind: "bar", of: bar },
      ["span_ns", span],
      ...PARTS.map(part),
    ],
  });
};

/** How even the times of devices are; `placeOf(rank, device)` names one. */
function balanceTable(placeOf) {
  const place = (end) => ({ name: `${end}_on`, title: "On", csv_title: `${end} on`, kind: "text", of: (row) => placeOf(row[`${end}_rank`], row[`${end}_device`]) });
  const rows = rowsOf("rank_balance").filter((row) => BigInt(row.max_ns) > 0n);
  const what = { title: "Time of devices", of: (row) => row.what.replaceAll("_", " ") };
  const entry = { table: "rank_balance", columns: [["what", what], "min_ns", place("min"), "mean_ns", "max_ns", place("max"), "max_over_mean"] };
  const table = new DataTable({ title: "Balance of devices", file: "rank_balance", rows, columns: columnsOf(entry, rows) });
  table.draw();
  return table;
}
