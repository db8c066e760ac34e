// Rooflines: a point per kernel or label, below what its GPU can. The table below has the same numbers.

const SVG = "http://www.w3.org/2000/svg";

function drawn(tag, properties = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined && value !== false) made.setAttribute(name, typeof value === "number" ? String(Math.round(value * 10) / 10) : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const POINTS_NAMED = 10;

/** The outline of a point, with the area of a circle: shapes say by what a kernel is limited, for all eyes. */
function outline(bound, x, y, radius) {
  const path = (...corners) => `M${corners.map(([dx, dy]) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`).join("L")}Z`;
  const half = radius * 0.8862;
  const far = radius * 1.5551;
  const wide = half * Math.SQRT2;
  switch (bound) {
    case "compute":
      return path([-half, -half], [half, -half], [half, half], [-half, half]);
    case "latency":
      return path([0, -far], [far * 0.866, far / 2], [-far * 0.866, far / 2]);
    case "memory":
      return `M${x - radius} ${y}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0Z`;
    default:
      return path([0, -wide], [wide, 0], [0, wide], [-wide, 0]);
  }
}

/** Places of names: none is on another, nor on a large point. */
class FreePlaces {
  constructor(area) {
    this.area = area;
    this.taken = [];
  }

  isFree(box) {
    const { left, top, right, bottom } = this.area;
    if (box.left < left || box.top < top || box.right > right || box.bottom > bottom) return false;
    return this.taken.every((one) => box.left >= one.right || one.left >= box.right || box.top >= one.bottom || one.top >= box.bottom);
  }

  take(box) {
    this.taken.push(box);
    return box;
  }

  /** Beside a point, or null. */
  beside({ x, y, radius }, width, height) {
    for (const distance of [4, 14, 26]) {
      const away = radius + distance;
      for (const [left, top] of [
        [x + away, y - height / 2],
        [x - away - width, y - height / 2],
        [x - width / 2, y - away - height],
        [x - width / 2, y + away],
        [x + 0.7 * away, y - 0.7 * away - height],
        [x + 0.7 * away, y + 0.7 * away],
      ]) {
        const box = { left, top, right: left + width, bottom: top + height };
        if (this.isFree(box)) return this.take(box);
      }
    }
    return null;
  }
}

const ROOF_FONT = `11px ${FONT}`;

/** The chart of some rows of the table. */
class RooflineChart {
  constructor(rows, roofs) {
    this.rows = rows.filter((row) => isRate(row.intensity) && isRate(row.flops_per_s)).sort((a, b) => inOrder(nsOfPoint(b), nsOfPoint(a)));
    this.lines = roofLines(roofs);
    this.unknown = missingRoofs(rows, roofs).length > 0;
    this.at = 0; // the point that the keyboard is at
    this.tip = element("div", { className: "roofline-tip", hidden: true });
    this.box = element("div", { className: "roofline-view" });
    new ResizeObserver(() => this.box.clientWidth !== this.width && this.draw()).observe(this.box);
  }

  draw() {
    if (!this.box.isConnected || this.box.clientWidth === 0) return;
    this.width = this.box.clientWidth;
    this.height = Math.round(Math.max(320, Math.min(600, this.width * 0.56)));
    this.plot = { left: 54, top: 8, right: this.width - 8, bottom: this.height - 42 };
    this.setScales();
    this.places = new FreePlaces(this.plot);
    this.points = this.rows.map((row) => this.pointOf(row));
    for (const { x, y, radius } of this.points) if (radius > 6) this.places.take({ left: x - radius, top: y - radius, right: x + radius, bottom: y + radius });
    this.svg = drawn(
      "svg",
      { width: this.width, height: this.height, viewBox: `0 0 ${this.width} ${this.height}`, role: "group", "aria-label": `Roofline of ${this.rows.length} points; the arrow keys go from one to the next; the table below has the same numbers` },
      ...this.grid(),
      ...this.roofs(),
      ...this.marks(),
      ...this.roofNames,
      ...this.names(),
    );
    this.svg.addEventListener("pointermove", (event) => this.show(this.nearest(event)));
    this.svg.addEventListener("pointerleave", () => this.show(null));
    this.svg.addEventListener("keydown", (event) => this.press(event));
    this.box.replaceChildren(this.svg, this.tip);
  }

  setScales() {
    const { left, right, top, bottom } = this.plot;
    const compute = this.lines.filter(({ kind }) => kind === "compute");
    this.memory = this.lines.filter(({ kind }) => kind === "memory");
    this.compute = compute;
    const ridges = compute.flatMap(({ rate }) => this.memory.map((one) => rate / one.rate));
    const xs = [...this.rows.map((row) => row.intensity), ...ridges];
    const ys = [...this.rows.map((row) => row.flops_per_s), ...compute.map(({ rate }) => rate)];
    this.xs = logScale(xs.length > 0 ? xs : [0.1, 100], right - left);
    this.ys = logScale(ys.length > 0 ? ys : [1e9, 1e12], bottom - top);
    this.x = (value) => left + this.xs.place(value);
    this.y = (value) => bottom - this.ys.place(value);
  }

  grid() {
    const { left, right, top, bottom } = this.plot;
    const made = [];
    const line = (x1, y1, x2, y2, className) => made.push(drawn("line", { x1, y1, x2, y2, class: className }));
    const text = (words, x, y, more) => made.push(drawn("text", { x, y, ...more }, words));
    for (const { value, labelled, decade } of logTicks(this.xs, 50)) {
      line(this.x(value), top, this.x(value), bottom, decade ? "grid decade" : "grid");
      const anchor = this.x(value) > right - 14 ? "end" : "middle";
      if (labelled) text(value >= 1 ? grouped(Math.round(value)) : String(value), this.x(value), bottom + 16, { "text-anchor": anchor });
    }
    for (const { value, labelled, decade } of logTicks(this.ys, 24)) {
      line(left, this.y(value), right, this.y(value), decade ? "grid decade" : "grid");
      if (labelled) text(inSi(value).replace(/\.\d+/, ""), left - 6, this.y(value) + 4, { "text-anchor": "end" });
    }
    line(left, bottom, right, bottom, "axis");
    line(left, top, left, bottom, "axis");
    text("FLOP per byte of DRAM", (left + right) / 2, bottom + 36, { "text-anchor": "middle", class: "axis-name" });
    text("FLOP/s", 12, (top + bottom) / 2, { "text-anchor": "middle", class: "axis-name", transform: `rotate(-90 12 ${(top + bottom) / 2})` });
    return made;
  }

  roofs() {
    const slowest = this.memory.at(-1); // DRAM, as a rule
    const most = this.unknown ? this.ys.high : (this.compute[0]?.rate ?? this.ys.high);
    const made = [];
    this.roofNames = []; // over the points
    for (const { rate } of slowest ? this.compute : []) {
      const [x, y] = [this.x(rate / slowest.rate), this.y(rate)];
      this.places.take({ left: x - 5, top: y - 5, right: x + 5, bottom: y + 5 });
    }
    const roof = (from, to, dashed = false) =>
      made.push(drawn("line", { x1: this.x(from[0]), y1: this.y(from[1]), x2: this.x(to[0]), y2: this.y(to[1]), class: dashed ? "roof dashed" : "roof" }));
    for (const one of this.memory) {
      const from = Math.max(this.xs.low, this.ys.low / one.rate);
      const to = Math.min(this.xs.high, most / one.rate);
      if (from >= to) continue;
      roof([from, from * one.rate], [to, to * one.rate], one !== slowest);
      this.roofNames.push(this.slopeName(one.text, this.x(from), this.y(from * one.rate), this.x(to), this.y(to * one.rate)));
    }
    for (const one of this.compute) {
      const from = this.memory.length > 0 ? one.rate / this.memory[0].rate : this.xs.low;
      roof([from, one.rate], [this.xs.high, one.rate]);
      this.roofNames.push(this.roofName(one, this.x(from)));
      if (slowest) made.push(drawn("circle", { cx: this.x(one.rate / slowest.rate), cy: this.y(one.rate), r: 4, class: "ridge" }, drawn("title", {}, `ridge: ${shortNumber(one.rate / slowest.rate)} FLOP per byte`)));
    }
    return made;
  }

  /** Along a line that rises, above it. */
  slopeName(words, x1, y1, x2, y2) {
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const width = widthOf(words, ROOF_FONT);
    const boxes = (from) =>
      Array.from({ length: Math.ceil(width / 6) + 1 }, (_, at) => {
        const [x, y] = [x1 + (from + 6 * at) * dx + 9 * dy, y1 + (from + 6 * at) * dy - 9 * dx];
        return { left: x - 6, top: y - 6, right: x + 6, bottom: y + 6 };
      });
    let from = Math.max(8, Math.min(0.12 * length, length - width - 12));
    for (let tried = from; tried <= length - width - 12; tried += 12) {
      if (!boxes(tried).every((box) => this.places.isFree(box))) continue;
      from = tried;
      break;
    }
    for (const box of boxes(from)) this.places.take(box);
    const [x, y] = [x1 + from * dx + 5 * dy, y1 + from * dy - 5 * dx];
    return drawn("text", { x, y, class: "roof-name rim", transform: `rotate(${((Math.atan2(dy, dx) * 180) / Math.PI).toFixed(2)} ${x.toFixed(1)} ${y.toFixed(1)})` }, words);
  }

  /** At the right end of a level line, above or below it. */
  roofName({ text, rate }, begin) {
    const width = widthOf(text, ROOF_FONT);
    const y = this.y(rate);
    const right = this.plot.right - 4;
    const boxAt = (left, top) => ({ left, top, right: left + width, bottom: top + 14 });
    let found = boxAt(right - width, y - 18);
    search: for (let left = right - width; left >= Math.max(begin, this.plot.left); left -= 16) {
      for (const top of [y - 18, y + 4]) {
        if (!this.places.isFree(boxAt(left, top))) continue;
        found = boxAt(left, top);
        break search;
      }
    }
    this.places.take(found);
    return drawn("text", { x: found.left, y: found.top + 11, class: "roof-name rim" }, text);
  }

  pointOf(row) {
    const most = Number(nsOfPoint(this.rows[0])) || 1;
    const largest = (this.rows.length === 1 ? 13 : this.rows.length <= 24 ? 20 : this.rows.length <= 80 ? 16 : 13) * (this.width < 600 ? 0.7 : 1);
    const radius = Math.max(3.5, largest * Math.sqrt(Number(nsOfPoint(row)) / most));
    return { row, radius, x: this.x(row.intensity), y: this.y(row.flops_per_s) };
  }

  marks() {
    this.guide = drawn("line", { class: "distance", visibility: "hidden" });
    for (const [at, point] of this.points.entries()) {
      const { row } = point;
      point.mark = drawn("path", {
        d: outline(limitOf(row), point.x, point.y, point.radius),
        fill: lookOfPoint(row).color,
        class: row.source === "shapes" ? "point computed" : "point",
        role: "img",
        tabindex: at === this.at ? "0" : "-1",
        "aria-label": `${nameOfPoint(row)}, ${inSi(row.flops_per_s, "FLOP/s")} at ${shortNumber(row.intensity)} FLOP per byte, ${timeText(nsOfPoint(row))}, limited by ${limitOf(row) ?? "what is not known"}${row.source === "shapes" ? ", computed from shapes of ops" : ""}`,
      });
      point.mark.addEventListener("focus", () => this.show(point));
      point.mark.addEventListener("blur", () => this.show(null));
    }
    return [...this.points.map(({ mark }) => mark), this.guide];
  }

  /** The most expensive, where there is room. */
  names() {
    return this.points.slice(0, POINTS_NAMED).flatMap((point) => {
      const words = shortened(nameOfPoint(point.row), this.width < 600 ? 18 : 34);
      const place = this.places.beside(point, widthOf(words, ROOF_FONT) + 4, 15);
      return place ? [drawn("text", { x: place.left + 2, y: place.top + 11.5, class: "point-name rim", "aria-hidden": "true" }, words)] : [];
    });
  }

  nearest({ clientX, clientY }) {
    const { left, top } = this.svg.getBoundingClientRect();
    const away = ({ x, y, radius }) => Math.max(0, Math.hypot(x + left - clientX, y + top - clientY) - radius) + radius / 1000;
    const [found] = [...this.points].sort((a, b) => away(a) - away(b));
    return found && away(found) < 12 ? found : null;
  }

  show(point) {
    if (this.shown === point) return;
    this.shown?.mark.classList.remove("active");
    this.shown = point;
    this.tip.hidden = point === null;
    this.guide.setAttribute("visibility", "hidden");
    if (point === null) return;
    point.mark.classList.add("active");
    this.measureDistance(point);
    this.tip.replaceChildren(this.tipOf(point.row));
    const box = this.svg.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const x = box.left + point.x + point.radius + 14;
    const left = x + width > innerWidth - 8 ? box.left + point.x - point.radius - 14 - width : x;
    this.tip.style.left = `${Math.max(8, left)}px`;
    this.tip.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, box.top + point.y - height / 2))}px`;
  }

  /** A line from a point up to its roof. */
  measureDistance({ row, x, y, radius }) {
    if (!isRate(row.peak_ratio)) return;
    const top = this.y(row.flops_per_s / row.peak_ratio);
    if (top > y - radius || top < this.plot.top) return;
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: y - radius, y2: top, visibility: "visible" })) this.guide.setAttribute(name, value);
  }

  tipOf(row) {
    return tip(
      [shortened(nameOfPoint(row), 200)],
      [
        `${titleOfLabel(row)}${missing(row.precision) ? "" : ` · ${printable(row.precision)}`}`,
        missing(row.grid) ? null : `grid ${printable(row.grid)}${missing(row.block) ? "" : `, block ${printable(row.block)}`}`,
      ],
      [
        ["Achieved", inSi(row.flops_per_s, "FLOP/s")],
        isRate(row.bytes_per_s) ? ["DRAM", inSi(row.bytes_per_s, "B/s")] : null,
        ["Intensity", `${shortNumber(row.intensity)} FLOP per byte`],
        ["Time", timeText(nsOfPoint(row))],
        missing(row.at_roof_ns) ? null : ["Time at its nearest roof", humanTime(wholeNs(row.at_roof_ns))],
        missing(row.peak_ratio) ? null : ["Of its roof", percentText(row.peak_ratio)],
        ["Limited by", limitOf(row) ?? "not known"],
        row.source === "shapes" ? ["Source", "computed from shapes of ops"] : null,
      ],
    );
  }

  /** The arrow keys: by time, the next or the one before. */
  press(event) {
    if (event.key === "Escape") return this.show(null);
    const last = this.points.length - 1;
    const to = { ArrowRight: this.at + 1, ArrowDown: this.at + 1, ArrowLeft: this.at - 1, ArrowUp: this.at - 1, Home: 0, End: last }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.points[this.at].mark.setAttribute("tabindex", "-1");
    this.at = Math.max(0, Math.min(last, to));
    this.points[this.at].mark.setAttribute("tabindex", "0");
    this.points[this.at].mark.focus();
  }
}

/** What a reader chose; it stays when the page is drawn again. */
const rooflineChoice = { run: "", level: "" };

/** A choice of one of several values, or null. */
function rooflineSelect(title, name, values, textOf) {
  if (values.length < 2) return null;
  const options = values.map((value) => element("option", { value, selected: value === rooflineChoice[name] }, textOf(value)));
  const onchange = (event) => {
    rooflineChoice[name] = event.target.value;
    const [fresh] = makeCards([ROOFLINE_CARD]);
    byId(ROOFLINE_CARD.id).replaceWith(fresh);
    fresh.whenShown();
    fresh.querySelector(`select[aria-label="${title}"]`).focus();
  };
  return element("select", { "aria-label": title, onchange }, ...options);
}

/** Labels by colour, limits by shape. */
function rooflineLegend(points) {
  const labels = [...groupBy(points, labelOfPoint).values()].map(([first]) => first);
  const most = 14;
  const bounds = [...new Set(points.map((row) => limitOf(row) ?? "not known"))];
  return element(
    "div",
    { className: "roofline-legend" },
    ...labels.slice(0, most).map((row) => element("span", {}, swatch(lookOfPoint(row).color), titleOfLabel(row))),
    labels.length > most ? element("span", {}, `and ${labels.length - most} more labels`) : null,
    ...bounds.map((bound) => element("span", {}, drawn("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, drawn("path", { d: outline(bound, 7, 7.5, 4.5) })), bound === "not known" ? "limit not known" : `limited by ${bound}`)),
    points.some((row) => row.source === "shapes") ? element("span", {}, drawn("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, drawn("path", { d: outline("memory", 7, 7.5, 4.5), "stroke-dasharray": "3 2" })), "dashed: computed from shapes of ops") : null,
  );
}

/** What is not drawn, and where the roofs are from. */
function rooflineNotes(rows, roofs) {
  const time = (some) => timeText(sumOf(some.map(nsOfPoint)));
  const without = rows.filter((row) => missing(row.no_cost) && !isRate(row.flops_per_s));
  const noBytes = rows.filter((row) => isRate(row.flops_per_s) && !isRate(row.intensity));
  const counted = (some, noun) => `${grouped(some.length)} ${some.length === 1 ? noun : `${noun}s`}`;
  const omitted = (some, noun, reason) => (some.length > 0 ? `Not drawn: ${counted(some, noun)} ${reason}, ${time(some)}: see the table below.` : "");
  const computed = rows.filter((row) => row.source === "shapes");
  const part = computed.filter((row) => missing(row.no_cost));
  const reasons = [...groupBy(computed.filter((row) => !missing(row.no_cost)), (row) => row.no_cost)];
  const about = part.length < computed.length && `Computed points are of ${share(sumOf(part.map(nsOfPoint)), sumOf(computed.map(nsOfPoint)))} of the GPU time.`;
  const sources = [...groupBy(roofs.filter((roof) => isRate(roof.per_second)), (roof) => roof.source ?? "")].map(
    ([source, some]) => `Roofs of ${some.map(({ name }) => printable(name)).join(", ")}: ${printable(source) || "source not known"}.`,
  );
  const unknown = missingRoofs(rows, roofs).map(printable).join(", ");
  const lines = [...(sources.length > 0 ? sources : ["No roofs: neither the profile nor a data sheet has them; --gpu NAME names the GPU."]), unknown && `No compute roof is known for ${unknown}.`, omitted(without, "point", "without counted floating-point operations"), omitted(noBytes, "point", "without counted DRAM bytes"), about, ...reasons.map(([reason, some]) => omitted(some, "label", NO_COST[reason] ?? `(${printable(reason)})`))];
  return lines.filter(Boolean).map((line) => element("p", { className: "roofline-note" }, line));
}

SHOWS.roofline = (entry) => {
  const all = rowsOf(entry.table);
  if (all.length === 0) return null;
  const choose = (name, values, first) => {
    if (!values.includes(rooflineChoice[name])) rooflineChoice[name] = values.includes(first) ? first : values[0];
    return rooflineChoice[name];
  };
  const names = [...new Set(all.map((row) => row.run))];
  const run = choose("run", names);
  const ofRun = all.filter((row) => row.run === run);
  const levels = [...new Set(ofRun.map((row) => row.level))];
  const level = choose("level", levels, levels.includes("kernel") ? "kernel" : state.by);
  const rows = ofRun.filter((row) => row.level === level);
  const roofs = roofsOf(run, rows);
  const chart = new RooflineChart(rows, roofs);
  const made = SHOWS.table(
    {
      ...entry,
      rows,
      sort: "-total_ns",
      columns: [
        ["key", { title: capital(printable(level)), kind: "name", kernel: true, swatch: (row) => lookOfPoint(row).color }],
        "total_ns", { name: "label", title: "Label", kind: "text", of: (row) => labelOfPoint(row) || null }, "precision", ["flops_per_s", { title: "FLOP/s" }], ["bytes_per_s", { title: "DRAM bytes/s" }], ["intensity", { title: "FLOP per byte" }], { name: "limit", title: "Limited by", kind: "text", of: (row) => limitOf(row) ?? null }, ["peak_ratio", { title: "Of its roof" }], ["no_cost", { title: "Without a point" }], "at_roof_ns", "grid", "block", "source",
      ],
    },
    rooflineLegend(chart.rows),
    chart.box,
    ...rooflineNotes(rows, roofs),
  );
  const selects = [
    rooflineSelect("Level of the roofline", "level", levels, (one) => `by ${printable(one)}`),
    rooflineSelect("Run of the roofline", "run", names, shortId),
  ];
  made.querySelector(".actions").prepend(...selects.filter(Boolean));
  made.whenShown = () => chart.draw();
  return made;
};
