// Ranks of one job, or the devices of one run, side by side: who has most of each label and time.

/** Where a number is: `rank 3`, and its device where a rank has several. */
function placeText(place) {
  if (runs.length === 1) return `device ${place.device}`;
  const run = data.ranks.runs.findIndex((one) => one.rank === place.rank);
  return runs[run].devices.length > 1 ? `rank ${place.rank}, device ${place.device}` : `rank ${place.rank}`;
}

/** Numbers of one row: `{name, cells}`, texts and times. */
function togetherTable(caption, heads, rows) {
  const cell = (value, unit) =>
    typeof value === "bigint" ? timeCell(value, unit) : element("td", { className: "number" }, value);
  const largest = rows.flatMap((row) => row.cells).reduce((most, one) => (typeof one === "bigint" && one > most ? one : most), 0n);
  const unit = state.unit === "auto" ? columnUnit(largest) : sumUnit();
  return element(
    "div",
    { className: "scroll", tabIndex: 0, role: "region", "aria-label": caption },
    element(
      "table",
      { className: "devices" },
      element("thead", {}, element("tr", {}, header(caption, "label"), ...heads.map((head) => header(head.replace("TIME", unit.name))))),
      element(
        "tbody",
        {},
        ...rows.map((row) =>
          element("tr", {}, element("th", { scope: "row", className: "label" }, row.swatch || null, row.name), ...row.cells.map((one) => cell(one, unit))),
        ),
      ),
    ),
  );
}

const timesMean = (most, mean) => (mean === 0 ? "–" : `${(Number(most) / mean).toFixed(2)} ×`);

/** Labels of the dimension chosen, over all ranks; a rank without a label counts with nothing. */
function labelsTogether() {
  const rows = pivotRows(state.by, "elapsed").map((row) => {
    const sizes = row.cells.map((cell) => cell.elapsed);
    const most = sizes.reduce((a, b) => (b > a ? b : a), 0n);
    const all = row.all.elapsed;
    const mean = Number(all) / sizes.length;
    const where = most === 0n ? "–" : `rank ${data.ranks.runs[sizes.indexOf(most)].rank}`;
    return {
      name: shortened(printable(row.label), 60),
      swatch: swatch(styleOf(state.by, row.label).color),
      cells: [all, BigInt(Math.round(mean)), most, timesMean(most, mean), where],
    };
  });
  const heads = ["Sum (TIME)", "Mean (TIME)", "Max (TIME)", "Max / mean", "Max on"];
  return togetherTable(printable(state.by), heads, rows);
}

function balanceTogether() {
  const rows = data.ranks.balance
    .filter((one) => BigInt(one.max_ns) > 0n)
    .map((one) => ({
      name: one.what.replace(/_ns$/, "").replaceAll("_", " "),
      cells: [
        BigInt(one.min_ns), placeText(one.min), BigInt(Math.round(one.mean_ns)), BigInt(one.max_ns), placeText(one.max),
        timesMean(one.max_ns, one.mean_ns),
      ],
    }));
  return togetherTable("Time of devices", ["Min (TIME)", "on", "Mean (TIME)", "Max (TIME)", "on", "Max / mean"], rows);
}

function drawRanks() {
  byId("ranks-card").hidden = !data.ranks;
  if (!data.ranks) return;
  const several = runs.length > 1;
  byId("ranks-title").textContent = several ? "All ranks together" : "All devices together";
  byId("ranks-sum").textContent = several && data.ranks.world_size ? `${runs.length} of ${data.ranks.world_size} ranks of the job` : "";
  byId("ranks").replaceChildren(...(several ? [labelsTogether()] : []), balanceTogether());
}
