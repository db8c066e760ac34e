// What launched the operations.

const MOST_MATCHING = 8; // runs with a line of their own

/** The calls, and how many operations have no call in the trace. */
SHOWS.launches = (entry) => {
  const all = rowsOf("launch_matching");
  const sum = (column) => all.reduce((sum, row) => sum + Number(row[column]), 0);
  const shown = all.length > MOST_MATCHING ? [{ linked: sum("linked"), orphans: sum("orphans") }] : all;
  const matching = shown.map((row) => {
    const lead = all !== shown ? `${grouped(all.length)} runs: ` : runs.length > 1 ? `${shortId(row.run)}: ` : "";
    const without = `${grouped(row.orphans)} operations were launched before the trace began, or by calls that it does not contain.`;
    return element("p", { className: "part-note" }, `${lead}${grouped(row.linked)} operations have a launch in the trace. ${row.orphans > 0 ? without : ""}`);
  });
  return SHOWS.table(entry, ...matching) || (matching.length > 0 ? card(entry.id, "Launches", "", [], ...matching) : null);
};
