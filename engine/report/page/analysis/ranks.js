// Runs as the ranks of one job.

const MOST_RANKS = 8; // with more, ranks have no columns of their own

/** One column per rank: `value` of the row of `rows` with this rank and the key of the table's row. */
function rankColumns(group, rows, value, keyOf) {
  const ranks = [...new Set(rows.map((row) => row.rank))].sort((a, b) => a - b);
  if (ranks.length > MOST_RANKS) return [];
  const values = new Map(rows.map((row) => [`${row.rank}\n${keyOf(row)}`, row[value]]));
  return ranks.map((rank) => ({
    name: `${group}${rank}`,
    title: String(rank),
    kind: "time",
    group,
    of: (row) => values.get(`${rank}\n${keyOf(row)}`),
  }));
}

/** What is known of a whole rank is in the row of its first device. */
const firstDevices = (rows) => rows.filter((row, at) => at === 0 || rows[at - 1].run !== row.run);

function balanceTable() {
  const place = (end) => ({
    name: end,
    title: "on",
    kind: "text",
    of: (row) => `rank ${row[`${end}_rank`]}, device ${row[`${end}_device`]}`,
  });
  const table = new DataTable({
    title: "Balance",
    file: "rank_balance",
    rows: rowsOf("rank_balance"),
    columns: [
      { name: "what", title: "Time of devices", kind: "text", of: (row) => row.what.replaceAll("_", " ") },
      column("min_ns", "Min", "time"),
      place("min"),
      column("mean_ns", "Mean", "mean"),
      column("max_ns", "Max", "time"),
      place("max"),
      column("max_over_mean", "Max / mean", "times"),
    ],
  });
  table.draw();
  return table.box;
}

function ranksCard() {
  if (runs.length < 2) return null;
  const made = tableCard("ranks", "Ranks", "how evenly work is distributed", {
    rows: firstDevices(rowsOf("ranks")),
    columns: [
      column("rank", "Rank", "count"),
      runColumn,
      column("waiting_ns", "Waiting in collectives", "time", { hint: "time beyond the shortest of the same collective on any rank" }),
      column("slowest_in_steps", "Slowest in steps", "count"),
    ],
  });
  if (made === null) return null;
  if (rowsOf("rank_balance").length > 0) made.append(balanceTable());
  const uneven = new Set(rowsOf("collectives").filter((row) => row.waiting_ns === null).map((row) => printable(row.name)));
  if (uneven.size > 0) {
    made.append(element("p", { className: "part-note" }, `Not compared, because ranks have different numbers of them: ${[...uneven].join(", ")}`));
  }
  return made;
}

function rankStepsCard() {
  const rows = rowsOf("rank_step_balance");
  const keyOf = (row) => `${row.step}\n${row.occurrence}\n${row.phase}`;
  return tableCard("rank_steps", "Steps of all ranks", "own time of a rank: its span without exposed communication", {
    rows,
    columns: [
      column("phase", "Phase", "text"),
      ...present(rows, [column("step", "Step", "count")]),
      column("slowest_rank", "Slowest rank", "count"),
      column("slowest_over_mean", "Slowest / mean", "times"),
      column("waiting_rank", "Waits most", "count", { hint: "the rank with the most exposed communication" }),
      column("mean_ns", "Mean own time", "mean"),
      ...rankColumns("own time of rank", rowsOf("rank_steps"), "own_ns", keyOf),
    ],
  });
}

function collectivesCard() {
  return tableCard("collectives", "Collectives", "waiting: time beyond the shortest of the same collective on any rank", {
    rows: rowsOf("collective_balance"),
    sort: "-waiting_ns",
    search: ["name"],
    columns: [
      column("name", "Name", "name"),
      column("instances", "Calls per rank", "count"),
      column("waiting_ns", "Waiting, all ranks", "time"),
      ...rankColumns("waiting of rank", rowsOf("collectives"), "waiting_ns", (row) => row.name),
    ],
  });
}
