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

function ranksCard() {
  if (runs.length < 2) return null;
  const made = rowsCard("ranks", "Ranks", "how evenly work is distributed", {
    rows: firstDevices(rowsOf("ranks")),
    columns: [
      column("rank", "Rank", "id"),
      runColumn,
      column("waiting_ns", "Waiting in collectives", "time", { hint: "time beyond the shortest of the same collective on any rank" }),
      column("slowest_in_steps", "Slowest in steps", "count"),
    ],
  });
  if (made === null) return null;
  if (rowsOf("rank_balance").length > 0) {
    const balance = balanceTable(rowsOf("rank_balance"), (rank, device) => `rank ${rank}, device ${device}`);
    balance.draw();
    made.append(balance.box);
  }
  const uneven = new Set(rowsOf("collectives").filter((row) => row.waiting_ns === null).map((row) => printable(row.name)));
  if (uneven.size > 0) {
    made.append(element("p", { className: "part-note" }, `Not compared, because ranks have different numbers of them: ${[...uneven].join(", ")}`));
  }
  return made;
}

function rankStepsCard() {
  const rows = rowsOf("rank_step_balance");
  const keyOf = (row) => `${row.step}\n${row.occurrence}\n${row.phase}`;
  return rowsCard("rank_steps", "Steps of all ranks", "own time of a rank: its span without exposed communication", {
    rows,
    columns: [
      column("phase", "Phase", "text"),
      ...present(rows, [column("step", "Step", "id")]),
      column("slowest_rank", "Slowest rank", "id"),
      column("slowest_over_mean", "Slowest / mean", "times"),
      column("waiting_rank", "Waits most", "id", { hint: "the rank with the most exposed communication" }),
      column("mean_ns", "Mean own time", "mean"),
      ...rankColumns("own time of rank", rowsOf("rank_steps"), "own_ns", keyOf),
    ],
  });
}

function collectivesCard() {
  return rowsCard("collectives", "Collectives", "waiting: time beyond the shortest of the same collective on any rank", {
    rows: rowsOf("collective_balance"),
    sort: "-waiting_ns",
    searched: ["name"],
    columns: [
      column("name", "Name", "name"),
      column("instances", "Calls per rank", "count"),
      column("waiting_ns", "Waiting, all ranks", "time"),
      ...rankColumns("waiting of rank", rowsOf("collectives"), "waiting_ns", (row) => row.name),
    ],
  });
}
