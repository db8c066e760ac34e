// Ranks of one job, or the devices of one run, side by side: who has most of each label and time.

/** Where a number is: `rank 3`, and its device where a rank has several. */
function placeText(rank, device) {
  if (runs.length === 1) return `device ${device}`;
  const run = data.ranks.runs.findIndex((one) => one.rank === rank);
  return runs[run].devices.length > 1 ? `rank ${rank}, device ${device}` : `rank ${rank}`;
}

/** Labels of the dimension chosen, over all ranks; a rank without a label counts with nothing. */
function labelBalance() {
  const time = (name, title) => ({ name, title, kind: "time", of: (row) => row[name], unit: sumUnit() });
  return new DataTable({
    title: "Labels of all ranks",
    file: "label_balance",
    rows: data.ranks.labels[state.by],
    columns: [
      { name: "label", title: state.by, kind: "text", of: (row) => row.label, swatch: (row) => styleOf(state.by, row.label).color },
      time("elapsed_ns", "Sum"),
      time("mean_ns", "Mean"),
      time("max_ns", "Max"),
      { name: "max_over_mean", title: "Max / mean", kind: "times", of: (row) => row.max_over_mean || null },
      { name: "max_rank", title: "Max on", kind: "text", of: (row) => (row.max_over_mean ? `rank ${row.max_rank}` : null) },
    ],
  });
}

function ranksCard() {
  if (!data.ranks) return null;
  const balance = balanceTable(data.ranks.balance.filter((one) => BigInt(one.max_ns) > 0n), placeText);
  balance.draw();
  if (runs.length === 1) return tableCard(balance, "All devices together", "");
  const labels = labelBalance();
  labels.draw();
  const { world_size: world } = data.ranks;
  const of = world ? `${runs.length} of ${world} ranks of the job` : "";
  return card("ranks", "All ranks together", of, [labels.count, labels.tools], labels.box, balance.box);
}
