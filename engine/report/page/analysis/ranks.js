// Runs as the ranks of one job.

const ranks = data.ranks || {};
const rankRuns = ranks.runs || [];
const MOST_RANKS = 8; // that have columns of their own

/** A column a rank, of what `of(row, rank)` finds for it. */
const rankColumns = (group, of) =>
  rankRuns.length > MOST_RANKS
    ? []
    : rankRuns.map(({ rank }) => ({ name: `${group}${rank}`, title: String(rank), kind: "time", group, of: (row) => of(row, rank) }));

function ranksCard() {
  if (runs.length < 2 || rankRuns.length === 0) return null;
  if (ranks.why_not) {
    const why = `The runs are not held against each other as ranks of one job: ${printable(ranks.why_not)}.`;
    return card("ranks", "Ranks", "", [], element("p", { className: "part-note" }, why));
  }
  const uneven = ranks.not_matched || [];
  const table = tableCard("ranks", "Ranks", "how evenly work is spread", {
    rows: rankRuns.map((row, run) => ({ ...row, run })),
    columns: [
      column("rank", "Rank", "count"),
      runColumn,
      column("waiting_ns", "Waiting in collectives", "time", { hint: "beyond the shortest of the same on any rank" }),
      column("slowest_in_steps", "Slowest in steps", "count"),
    ],
  });
  const where = (place) => `rank ${place.rank}, device ${place.device}`;
  if ((ranks.balance || []).length > 0) {
    const balance = new DataTable({
      title: "Balance",
      file: "balance",
      rows: ranks.balance,
      columns: [
        { name: "what", title: "Time of devices", kind: "text", of: (row) => row.what.replace(/_ns$/, "").replaceAll("_", " ") },
        column("min_ns", "Least", "time"),
        { name: "min", title: "there", kind: "text", of: (row) => where(row.min) },
        column("mean_ns", "Mean", "mean"),
        column("max_ns", "Most", "time"),
        { name: "max", title: "there", kind: "text", of: (row) => where(row.max) },
        column("max_over_mean", "Most by mean", "times"),
      ],
    });
    balance.draw();
    table.append(balance.box);
  }
  if (uneven.length > 0) {
    table.append(element("p", { className: "part-note" }, `Not in equal numbers on all ranks: ${uneven.map(printable).join(", ")}`));
  }
  return table;
}

function rankStepsCard() {
  const rows = ranks.steps || [];
  return tableCard("rank_steps", "Steps of all ranks", "a rank's own time is its span without exposed communication", {
    rows,
    columns: [
      column("phase", "Phase", "text"),
      ...present(rows, [column("step", "Step", "count")]),
      column("slowest_rank", "Slowest rank", "count"),
      column("slowest_over_mean", "Slowest by mean", "times"),
      column("waiting_rank", "Waits most", "count", { hint: "the rank with most exposed communication" }),
      column("mean_own_ns", "Mean own time", "mean"),
      ...rankColumns("own time of rank", (row, rank) => row.ranks.find((one) => one.rank === rank)?.own_ns),
    ],
  });
}

function collectivesCard() {
  return tableCard("collectives", "Collectives", "waiting: beyond the shortest of the same on any rank", {
    rows: ranks.collectives || [],
    sort: "-waiting_ns",
    search: ["name"],
    columns: [
      column("name", "Name", "name"),
      column("instances", "Calls a rank", "count"),
      column("waiting_ns", "Waiting of all", "time"),
      ...rankColumns("waiting of rank", (row, rank) => row.ranks.find((one) => one.rank === rank)?.waiting_ns),
    ],
  });
}
