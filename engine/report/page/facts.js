// What the runs are: sources, choices, and what is not as it should be.

function lossText(loss) {
  return `${grouped(loss.count)} × ${printable(loss.what)} (first at ${grouped(loss.first_offset)})`;
}

function factsOf(run) {
  const fact = (name, ...value) => [element("dt", {}, name), element("dd", {}, ...value)];
  const from = run.elapsed_from === "user" ? "given by the user" : "the span of the trace";
  return element(
    "article",
    {},
    element("h3", {}, printable(run.id)),
    element(
      "dl",
      { className: "pairs" },
      ...fact("Source", printable(run.source)),
      ...fact("Format", printable(run.format)),
      ...fact("Engine and model", printable(`${run.engine}/${run.model}`)),
      ...(run.why ? fact("Chosen because", printable(run.why)) : []),
      ...fact("Operations", `${grouped(run.all.instances)}, ${grouped(run.kernels.name.length)} distinct names`),
      ...fact("GPU time", exactTime(run.all.elapsed), ` · ${exactTime(run.all.total)} in total`),
      ...fact("Elapsed", exactTime(run.elapsed), ` · ${from}`),
      ...fact(NON_GPU, exactTime(run.nonGpu)),
      ...(run.inexact ? fact("Not exact", printable(run.inexact)) : []),
      ...(run.losses.length ? fact("Dropped records", run.losses.map(lossText).join("; ")) : []),
      ...run.warnings.flatMap((warning) => fact("Warning", printable(warning))),
    ),
  );
}

function drawFacts() {
  byId("facts").replaceChildren(...runs.map(factsOf));
  const notes = runs.flatMap((run) => {
    const lead = runs.length > 1 ? `${printable(run.id)}: ` : "";
    return [
      ...(run.inexact ? [`${lead}times are not exact: ${printable(run.inexact)}`] : []),
      ...run.losses.map((loss) => `${lead}dropped records: ${lossText(loss)}`),
      ...(run.all.instances === 0n && someGpuWork ? [`${lead}no GPU work`] : []),
    ];
  });
  byId("notes").replaceChildren(
    ...notes.map((text) => element("p", { className: "note warning" }, text)),
  );
}

function tile(name, value, beside, title) {
  return element(
    "div",
    { className: "tile", title: title || "" },
    element("span", { className: "tile-name" }, name),
    element("span", { className: "tile-value" }, value),
    element("span", { className: "tile-beside" }, beside),
  );
}

/** The sums of a single run; several have them in the table. */
function drawTiles() {
  const box = byId("tiles");
  box.hidden = runs.length !== 1 || !someGpuWork;
  if (box.hidden) return;
  const run = runs[0];
  const whole = run.all.elapsed + run.nonGpu;
  const unclassified = (run.labels.get(state.by) || new Map()).get(UNCLASSIFIED) || EMPTY;
  const explained = run.all.elapsed - unclassified.elapsed;
  box.replaceChildren(
    tile("GPU time", humanTime(run.all.elapsed), `${share(run.all.elapsed, whole, 1)} of elapsed`, exactTime(run.all.elapsed)),
    tile(NON_GPU, humanTime(run.nonGpu), `${share(run.nonGpu, whole, 1)} of elapsed`, exactTime(run.nonGpu)),
    tile("Summed durations", humanTime(run.all.total), `${decimal(run.all.total, run.all.elapsed || 1n, 2)} × GPU time`, exactTime(run.all.total)),
    tile("Operations", grouped(run.all.instances), `${grouped(run.kernels.name.length)} distinct names`),
    tile("Labelled", share(explained, run.all.elapsed, 1), `of GPU time, by ${state.by}`, exactTime(explained)),
    tile("Devices", grouped(run.devices.length), [...new Set(run.devices.map((device) => printable(device.name || "")))].filter(Boolean).join(", ") || "without a name"),
  );
}
