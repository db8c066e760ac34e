// Parallel efficiencies as a tree of factors, coloured by value; of several jobs also as curves with the ideal.

const FACTORS = [
  { id: "global_efficiency", title: "Global efficiency", depth: 0, scaling: true, color: "#000000" },
  { id: "parallel_efficiency", title: "Parallel efficiency", depth: 0, color: "#0072b2", mark: "square" },
  { id: "load_balance", title: "Load balance", depth: 1, color: "#009e73", mark: "up" },
  { id: "communication_efficiency", title: "Communication efficiency", depth: 1, color: "#d55e00", mark: "diamond" },
  { id: "orchestration_efficiency", title: "Orchestration efficiency", depth: 1, color: "#cc79a7", mark: "down" },
  { id: "computation_scalability", title: "Computation scalability", depth: 0, scaling: true, color: "#b58900", mark: "ring" },
];
const SPEEDUP = { id: "speedup", title: "Speedup", depth: 0, scaling: true, times: true, color: "#0072b2" };
const GOOD = 0.8; // of POP: below it a factor is worth a look

const READINGS = { useful: "communication kernels are useful work (TALP)", communication: "communication kernels are communication (BSC)" };

/** `2 of 8 ranks` if the runs are only some ranks of a job, else nothing. */
function someRanks() {
  const world = runs.length > 1 ? runs[0].world_size : null;
  return missing(world) || runs.length >= world ? "" : `${grouped(runs.length)} of ${grouped(world)} ranks`;
}

const jobName = (row) => ("job" in row ? printable(row.job) : missing(row.run) ? someRanks() || "all ranks" : shortId(row.run));
const devicesOf = (row) => `${grouped(row.devices)} device${Number(row.devices) === 1 ? "" : "s"}`;

/** Blue is good and orange is not: people of all kinds of vision can tell them apart. The value is in the cell. */
function factorCell(value, { times }) {
  if (missing(value)) return element("td", { className: "factor" });
  if (times) return element("td", { className: "factor" }, `${shortNumber(value)}×`);
  const good = value >= GOOD;
  const strength = good ? Math.min(1, (value - GOOD) / (1 - GOOD)) : Math.min(1, (GOOD - value) / 0.5);
  const background = `color-mix(in srgb, ${good ? "#0072b2" : "#d55e00"} ${Math.round(8 + 32 * strength)}%, var(--card))`;
  return element("td", { className: "factor", title: String(value), style: { background } }, percentText(value));
}

/** `columns`: `{row, head}`; `name`: for screen readers. */
function factorTable(columns, scaled, name) {
  const factors = [...FACTORS, SPEEDUP].filter(({ scaling }) => scaled || !scaling);
  const below = scaled ? 1 : 0; // everything but global efficiency and speedup
  const depthOf = ({ id, depth }) => depth + (id === "global_efficiency" || id === "speedup" ? 0 : below);
  const heads = columns.map(({ head }) => element("th", { scope: "col" }, ...head.flatMap((line, at) => (at === 0 ? [line] : [element("br"), line]))));
  const time = element("tr", {}, element("th", { scope: "row" }, "Span"), ...columns.map(({ row }) => element("td", { className: "factor", title: exactTime(BigInt(row.elapsed_ns)) }, humanTime(BigInt(row.elapsed_ns)))));
  const table = element(
    "table",
    { className: "factors", "aria-label": name },
    element("thead", {}, element("tr", {}, element("td"), ...heads)),
    element(
      "tbody",
      {},
      ...factors.map((one) =>
        element("tr", {}, element("th", { scope: "row", style: { paddingLeft: `${10 + 18 * depthOf(one)}px` } }, one.title), ...columns.map(({ row }) => factorCell(row[one.id], one))),
      ),
      time,
    ),
  );
  return sideways(element("div", { className: "scroll" }, table));
}

/** A mark of a curve, by shape too. */
function curveMark(mark, x, y, color) {
  const at = (...corners) => `M${corners.map(([dx, dy]) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`).join("L")}Z`;
  const shapes = {
    square: at([-4, -4], [4, -4], [4, 4], [-4, 4]),
    up: at([0, -5], [5, 4], [-5, 4]),
    down: at([0, 5], [5, -4], [-5, -4]),
    diamond: at([0, -6], [6, 0], [0, 6], [-6, 0]),
  };
  if (shapes[mark]) return drawn("path", { d: shapes[mark], fill: color });
  return drawn("circle", { cx: x, cy: y, r: 4, fill: mark === "ring" ? "none" : color, stroke: color, "stroke-width": 2 });
}

/**
 * Curves over the number of devices. `curves`: `{title, color, mark, points: [[devices, value]…]}`; `ideal(devices)`;
 * `log`: values are powers of two, too; `textOf(value)`.
 */
function curveChart(title, curves, devices, ideal, log, textOf) {
  const [width, height, left, right, top, bottom] = [460, 270, 52, 14, 12, 42];
  const values = [...curves.flatMap(({ points }) => points.map(([, value]) => value)), ...devices.map(ideal)].filter((value) => !log || value > 0);
  const [least, most] = [Math.min(...devices), Math.max(...devices)];
  const span = Math.max(1, Math.log2(most / least));
  const x = (count) => left + ((width - left - right) * Math.log2(count / least)) / span;
  const low = log ? Math.floor(Math.log2(Math.min(...values))) : 0;
  const high = log ? Math.max(low + 1, Math.ceil(Math.log2(Math.max(...values)))) : Math.max(1, Math.ceil(Math.max(...values) * 5) / 5);
  const place = (value) => (log ? (Math.log2(value) - low) / (high - low) : value / high);
  const y = (value) => height - bottom - (height - top - bottom) * place(value);
  const steps = log ? Array.from({ length: high - low + 1 }, (_, at) => 2 ** (low + at)) : Array.from({ length: Math.round(high * 5) + 1 }, (_, at) => at / 5);
  const line = (points, properties, ...children) => drawn("polyline", { points: points.map(([count, value]) => `${x(count).toFixed(1)},${y(value).toFixed(1)}`).join(" "), fill: "none", ...properties }, ...children);
  const parts = [];
  for (const value of steps) {
    parts.push(drawn("line", { x1: left, x2: width - right, y1: y(value), y2: y(value), class: "grid" }));
    parts.push(drawn("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, textOf(value)));
  }
  for (const count of [...new Set(devices)]) parts.push(drawn("text", { x: x(count), y: height - bottom + 16, "text-anchor": "middle" }, grouped(count)));
  parts.push(drawn("text", { x: (left + width - right) / 2, y: height - 6, "text-anchor": "middle", class: "axis-name" }, "devices"));
  const places = [...new Set(devices)].sort((a, b) => a - b);
  parts.push(line(places.map((count) => [count, ideal(count)]), { class: "ideal" }, drawn("title", {}, "ideal")));
  for (const { title: name, color, mark, points } of curves) {
    const shown = points.filter(([, value]) => !log || value > 0);
    const stroke = color === "#000000" ? "var(--text)" : color;
    parts.push(line(shown, { stroke, "stroke-width": 2 }));
    for (const [count, value] of shown) {
      const one = curveMark(mark, x(count), y(value), stroke);
      one.append(drawn("title", {}, `${name}: ${textOf(value)} on ${grouped(count)}`));
      parts.push(one);
    }
  }
  const legend = element(
    "div",
    { className: "roofline-legend" },
    ...curves.map(({ title: name, color, mark }) => element("span", {}, drawn("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, curveMark(mark, 7, 7, color === "#000000" ? "var(--text)" : color)), name)),
    element("span", {}, drawn("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, drawn("line", { x1: 0, x2: 14, y1: 7, y2: 7, class: "ideal" })), "ideal"),
  );
  return element("figure", { className: "curves" }, element("figcaption", {}, title), legend, drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}; the table has the same numbers` }, ...parts));
}

/** Of jobs with different numbers of devices. */
function scalingCharts(rows) {
  const devices = rows.map((row) => Number(row.devices));
  if (new Set(devices).size < 2) return null;
  const sorted = [...rows].sort((a, b) => a.devices - b.devices);
  const curve = (factor) => ({ ...factor, points: sorted.filter((row) => !missing(row[factor.id])).map((row) => [Number(row.devices), Number(row[factor.id])]) });
  const first = Number(rows[0].devices);
  const speedup = curveChart("Speedup", [curve(SPEEDUP)], devices, (count) => count / first, true, (value) => `${shortNumber(value)}×`);
  const factors = curveChart("Efficiencies", FACTORS.map(curve), devices, () => 1, false, percentText);
  return element("div", { className: "curve-pair" }, speedup, factors);
}

SHOWS.efficiency = (entry) => {
  const scaled = rowsOf("scaling").length > 0;
  const rows = rowsOf(scaled ? "scaling" : "efficiency");
  if (!scaled && !rows.some((row) => Number(row.devices) > 1)) return null;
  if (!scaled && entry.of_job && runs.length > 1 && rowsOf("ranks").length === 0) return null;
  const readings = [...groupBy(rows, (row) => row.nccl)];
  const jobs = readings[0][1].length;
  const parts = [];
  if (jobs === 1) {
    parts.push(factorTable(readings.map(([reading, [row]]) => ({ row, head: [`NCCL ${reading}`] })), scaled, "Factors of the parallel efficiency"));
  } else {
    for (const [reading, some] of readings) {
      parts.push(element("h3", {}, `NCCL ${reading}: ${READINGS[reading]}`));
      if (scaled) parts.push(scalingCharts(some));
      parts.push(factorTable(some.map((row) => ({ row, head: [shortened(jobName(row), 28), devicesOf(row)] })), scaled, `Factors of the parallel efficiency, NCCL ${reading}`));
    }
  }
  if (rows.some((row) => row.elapsed_from === "longest_span")) {
    parts.push(element("p", { className: "part-note" }, "The clocks of the ranks are not known to agree: the time is the longest span of a rank, and efficiencies are upper bounds."));
  }
  if (readings.length > 1) parts.push(element("p", { className: "part-note" }, "As useful work, communication kernels that wait for a slow rank look busy and hide it."));
  if (rows[0].scope === "job" && someRanks() !== "") {
    parts.push(element("p", { className: "part-note" }, `Only ${someRanks()} of the job are here: its load balance and efficiencies are not known, these are of the ranks that are.`));
  }
  const note = jobs === 1 ? `${devicesOf(rows[0])}; parallel efficiency = load balance · communication · orchestration` : entry.note;
  return card(entry.id, scaled ? "Scaling" : entry.title, note, [], ...parts.filter(Boolean));
};
