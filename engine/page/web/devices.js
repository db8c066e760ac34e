// Devices: where the span of each went. The four parts add up to the span, to the nanosecond.

const PARTS = [
  { name: "compute", title: "Compute", color: "var(--compute)" },
  { name: "exposed_communication", title: "Exposed communication", whole: "communication", color: "var(--communication)" },
  { name: "exposed_memory", title: "Exposed memory", whole: "memory", color: "var(--memory)" },
  { name: "idle", title: "Idle", color: "var(--idle)" },
];

/** `rows` as in the table `devices`; `runColumns` tell of which run they are. */
function devicesCard(rows, runColumns) {
  if (rows.length === 0) return null;
  const timeOf = (row, name) => BigInt(row[`${name}_ns`]);
  const longest = largestOf(rows.map((row) => row.span_ns));
  const bar = (row) => {
    const parts = PARTS.map(({ name, title, color }) => ({ title, color, ns: timeOf(row, name) }));
    const made = stackedBar(parts, timeOf(row, "span"));
    made.style.width = `${ratio(timeOf(row, "span"), longest) * 100}%`; // the longest is as wide as the cell
    return made;
  };
  const part = ({ name, title, whole, color }) => ({
    name: `${name}_ns`,
    title,
    kind: "time",
    plain: true, // the unit is that of the span
    swatch: color,
    of: (row) => row[`${name}_ns`],
    below: (row) =>
      share(timeOf(row, name), timeOf(row, "span"), 1) + (whole ? ` · exposed of ${humanTime(timeOf(row, whole))}` : ""),
    unit: unitOf(longest),
  });
  const table = new DataTable({
    title: "Devices",
    file: "devices",
    noun: "device",
    rows,
    columns: [
      ...runColumns,
      { name: "device", title: "Device", kind: "id", of: (row) => row.device },
      ...(rows.some((row) => row.device_name)
        ? [{ name: "device_name", title: "Name", kind: "text", of: (row) => row.device_name || null }]
        : []),
      { name: "bar", title: "", kind: "bar", of: bar },
      {
        name: "span_ns",
        title: "Span",
        kind: "time",
        of: (row) => row.span_ns,
        below: (row) => `busy ${share(timeOf(row, "busy"), timeOf(row, "span"), 1)}`,
        unit: unitOf(longest),
      },
      ...PARTS.map(part),
      { name: "busy_ns", title: "Busy", kind: "time", saved: true, of: (row) => row.busy_ns },
      { name: "communication_ns", title: "Communication", kind: "time", saved: true, of: (row) => row.communication_ns },
      { name: "memory_ns", title: "Memory", kind: "time", saved: true, of: (row) => row.memory_ns },
      { name: "operations", title: "Operations", kind: "count", saved: true, of: (row) => row.operations },
    ],
  });
  table.draw();
  return tableCard(table, "Devices", "span = compute + exposed communication + exposed memory + idle");
}

/** How even the times of devices are: rows as in the table `rank_balance`. */
function balanceTable(rows, placeOf) {
  const time = (end, title, kind) => ({ name: `${end}_ns`, title, kind, of: (row) => row[`${end}_ns`] });
  const place = (end) => ({ name: `${end}_on`, title: "on", csv_title: `${end} on`, kind: "text", of: (row) => placeOf(row[`${end}_rank`], row[`${end}_device`]) });
  return new DataTable({
    title: "Balance of devices",
    file: "rank_balance",
    rows,
    columns: [
      { name: "what", title: "Time of devices", kind: "text", of: (row) => row.what.replace(/_ns$/, "").replaceAll("_", " ") },
      time("min", "Min", "time"),
      place("min"),
      time("mean", "Mean", "mean"),
      time("max", "Max", "time"),
      place("max"),
      { name: "max_over_mean", title: "Max / mean", kind: "times", of: (row) => row.max_over_mean },
    ],
  });
}
