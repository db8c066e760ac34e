// Per device: where its span went. The four parts add up to the span, to the nanosecond.

const PARTS = [
  { name: "compute", title: "Compute", color: "var(--compute)" },
  { name: "exposed_communication", title: "Exposed communication", whole: "communication", color: "var(--communication)" },
  { name: "exposed_memory", title: "Exposed memory", whole: "memory", color: "var(--memory)" },
  { name: "idle", title: "Idle", color: "var(--idle)" },
];

/** A time, and below it what it is of. */
function partCell(ns, unit, below) {
  const cell = timeCell(ns, unit);
  cell.append(element("span", { className: "below" }, below));
  return cell;
}

/** What part of the span; for copies and communication, too, how much ran beside kernels or not. */
function belowPart(device, part, span) {
  const of = share(BigInt(device[part.name]), span, 1);
  return part.whole ? `${of} · exposed of ${humanTime(BigInt(device[part.whole]))}` : of;
}

function deviceRow(device, unit) {
  const span = BigInt(device.span);
  const bar = element(
    "div",
    { className: "parts", "aria-hidden": "true" },
    ...PARTS.map((part) =>
      element("span", {
        title: `${part.title}: ${exactTime(BigInt(device[part.name]))}`,
        style: {
          width: `${ratio(BigInt(device[part.name]), span) * 100}%`,
          backgroundColor: part.color,
        },
      }),
    ),
  );
  const name = device.name ? `${device.device} · ${printable(device.name)}` : String(device.device);
  return element(
    "tr",
    {},
    element("th", { scope: "row", className: "label" }, name),
    element("td", { className: "parts-cell" }, bar),
    partCell(span, unit, `busy ${share(BigInt(device.busy), span, 1)}`),
    ...PARTS.map((part) => partCell(BigInt(device[part.name]), unit, belowPart(device, part, span))),
  );
}

function drawDevices() {
  const spans = runs.flatMap((run) => run.devices.map((device) => BigInt(device.span)));
  const largest = spans.reduce((most, span) => (span > most ? span : most), 0n);
  const unit = state.unit === "auto" ? columnUnit(largest) : sumUnit();
  const head = () =>
    element(
      "tr",
      {},
      header("Device", "label"),
      header("", "parts-cell"),
      header(`Span (${unit.name})`),
      ...PARTS.map((part) => {
        const cell = header("");
        cell.append(swatch(part.color), part.title);
        return cell;
      }),
    );
  byId("devices").replaceChildren(
    ...runs
      .filter((run) => run.devices.length > 0)
      .map((run) =>
        element(
          "div",
          { className: "scroll", tabIndex: 0, role: "region", "aria-label": `Devices of ${printable(run.id)}` },
          element(
            "table",
            { className: "devices" },
            runs.length > 1 ? element("caption", {}, printable(run.id)) : null,
            element("thead", {}, head()),
            element("tbody", {}, ...run.devices.map((device) => deviceRow(device, unit))),
          ),
        ),
      ),
  );
  byId("devices-card").hidden = byId("devices").childElementCount === 0;
}
