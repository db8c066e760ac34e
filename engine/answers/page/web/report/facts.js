// The runs: their files, how their rules were chosen, and notes.

function factsOf(run) {
  const from = run.wall_from === "user" ? "given by the user" : "the span of the trace";
  const notes = rowsOf("notes").filter((note) => note.run === run.run);
  return element(
    "article",
    {},
    element("h3", {}, shortId(run.run)),
    pairs([
      ["File", printable(run.source)],
      ["Run", printable(run.run)],
      ["Format", printable(run.format)],
      ["Engine and model", printable(`${run.engine}/${run.model}`)],
      ...(run.why ? [["Chosen because", printable(run.why)]] : []),
      ["Operations", `${grouped(run.operations)}, ${grouped(run.names)} distinct names`],
      ["Busy", exactTime(run.all.busy), mostDevices > 1 ? " · of all devices, added up" : ""],
      ["Elapsed", exactTime(run.all.elapsed)],
      ["Total", exactTime(run.all.total)],
      ["Wall time", exactTime(BigInt(run.wall_ns)), ` · ${from}`],
      [capital(NON_GPU), exactTime(run.rest.elapsed)],
      ...notes.map((note) => [note.severity === "warning" ? "Warning" : "Note", shownNote(note, "").text]),
    ]),
  );
}

const FACT_COLUMNS = ["rank", "source", "format", "engine", "model", "operations", "names", "gpu_elapsed_ns", "span_ns"];
/** What the words of the page mean, once. */
SHOWS.meanings = (entry) =>
  someGpuWork
    ? card(
        entry.id, entry.title, "", [],
        pairs([
          ...MEASURES.map(({ title, meaning }) => [title, capital(meaning)]),
          ["Span", "From the first start to the last end of the operations of a device: compute + exposed communication + exposed memory + idle"],
          ["Exposed", "What nothing hides: communication while no kernel computes, copies while neither does"],
          ["Shares", "Are of the column beside them, or of what the heading names"],
        ]),
      )
    : null;

SHOWS.facts = (entry) => compact ? SHOWS.table({ ...entry, columns: FACT_COLUMNS }) : card(entry.id, entry.title, "", [], element("div", { className: "facts" }, ...runs.map(factsOf)));
