// Ranks of one job, or the devices of one run, side by side.

/** Labels of the dimension chosen, over all ranks; a rank without a label counts with nothing. */
function labelBalance() {
  const rows = rowsOf("label_balance").filter((row) => row.dimension === state.by);
  const any = (name) => ({ of: (row) => (row.max_over_mean ? row[name] : null) });
  const columns = columnsOf(
    {
      table: "label_balance",
      columns: [
        ["label", { title: state.by, swatch: (row) => lookOf(state.by, row.label).color }],
        ["busy_ns", { title: "Busy, sum", unit: sumUnit() }],
        ["mean_ns", { unit: sumUnit() }],
        ["max_ns", { unit: sumUnit() }],
        ["max_over_mean", any("max_over_mean")],
        ["max_rank", { title: "Max on rank", ...any("max_rank") }],
      ],
    },
    rows,
  );
  const table = new DataTable({ title: "Labels of all ranks", file: "label_balance", rows, columns });
  table.draw();
  return table;
}

SHOWS.balance = (entry) => {
  if (rowsOf(entry.table).length === 0) return null;
  if (runs.length === 1) return tableCard(balanceTable((_, device) => `device ${device}`), "All devices together", "");
  const devices = groupBy(rowsOf("ranks"), (row) => row.rank);
  const balance = balanceTable((rank, device) => (devices.get(rank).length > 1 ? `rank ${rank}, device ${device}` : `rank ${rank}`));
  const labels = labelBalance();
  const world = runs[0].world_size;
  const note = missing(world) ? "" : `${runs.length} of ${world} ranks of the job`;
  return card(entry.id, entry.title, note, [labels.count, labels.tools], labels.box, balance.box);
};

/** With the collectives that could not be compared. */
SHOWS.rank_times = (entry) => {
  const made = runs.length > 1 ? SHOWS.table(entry) : null;
  if (made === null) return null;
  const uneven = new Set(rowsOf("collectives").filter((row) => row.matched === 0).map((row) => printable(row.kind)));
  if (uneven.size > 0) made.append(element("p", { className: "part-note" }, `Not compared between ranks: ${[...uneven].join(", ")}`));
  return made;
};
