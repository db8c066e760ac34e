// What the runs are: sources, choices, and what is not as it should be.

function factsOf(run) {
  const from = run.elapsed_from === "user" ? "given by the user" : "the span of the trace";
  return element(
    "article",
    {},
    element("h3", {}, printable(run.id)),
    pairs([
      ["Source", printable(run.source)],
      ["Format", printable(run.format)],
      ["Engine and model", printable(`${run.engine}/${run.model}`)],
      ...(run.why ? [["Chosen because", printable(run.why)]] : []),
      ["Operations", `${grouped(run.all.instances)}, ${grouped(run.kernels.name.length)} distinct names`],
      ["GPU time", exactTime(run.all.elapsed), ` · ${exactTime(run.all.total)} in total`],
      ["Elapsed", exactTime(run.elapsed), ` · ${from}`],
      [NON_GPU, exactTime(run.nonGpu)],
      ...(run.inexact ? [["Not exact", printable(run.inexact)]] : []),
      ...(run.losses.length ? [["Dropped records", run.losses.map((loss) => noteOfLoss(loss).replace("dropped records: ", "")).join("; ")]] : []),
      ...run.warnings.map((warning) => ["Warning", printable(warning)]),
    ]),
  );
}

const factsCard = () => card("facts", "Where this comes from", "", [], element("div", { className: "facts" }, ...runs.map(factsOf)));

function notesOf(run) {
  const lead = runs.length > 1 ? `${printable(run.id)}: ` : "";
  const notes = [
    ...(run.inexact ? [`times are not exact: ${printable(run.inexact)}`] : []),
    ...run.losses.map(noteOfLoss),
    ...(run.all.instances === 0n && someGpuWork ? ["no GPU work"] : []),
  ];
  return notes.map((text) => ({ text: lead + text, warning: true }));
}

/** The sums of a single run; several have them in the table. */
function tilesOf(run) {
  const whole = run.all.elapsed + run.nonGpu;
  const last = pivotOf(state.by).rows.at(-1);
  const explained = run.all.elapsed - (last.label === UNCLASSIFIED ? last.all.elapsed : 0n);
  const names = [...new Set(run.devices.map((device) => printable(device.device_name || "")))].filter(Boolean);
  return [
    tile("GPU time", humanTime(run.all.elapsed), `${share(run.all.elapsed, whole, 1)} of elapsed`, exactTime(run.all.elapsed)),
    tile(NON_GPU, humanTime(run.nonGpu), `${share(run.nonGpu, whole, 1)} of elapsed`, exactTime(run.nonGpu)),
    tile("Summed durations", humanTime(run.all.total), `${decimal(run.all.total, run.all.elapsed || 1n, 2)} × GPU time`, exactTime(run.all.total)),
    tile("Operations", grouped(run.all.instances), `${grouped(run.kernels.name.length)} distinct names`),
    tile("Labelled", share(explained, run.all.elapsed, 1), `of GPU time, by ${state.by}`, exactTime(explained)),
    tile("Devices", grouped(run.devices.length), names.join(", ") || "without a name"),
  ];
}
