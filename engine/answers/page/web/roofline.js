// Rooflines: kr lays out a chart per run and level (engine/answers/picture/roofline_scene.hpp); here its points get their
// colours, and say what they are. The table below has the same numbers.

const isRate = (value) => Number.isFinite(value) && value > 0;

/** The label of a kernel in the dimension of the page; of a row that is a label, itself. */
const labelOfPoint = (row) => (row.scope === "kernel" ? row[state.by] ?? row[`${state.by}_label`] ?? row.label : row.key) ?? "";

/** How the label of a row looks. */
function lookOfPoint(row) {
  const styles = (page.styles || []).filter((style) => style.label === labelOfPoint(row));
  const wanted = row.scope === "kernel" ? state.by : row.scope;
  return styles.find(({ dimension }) => dimension === wanted) || styles[0] || { title: "", color: REST };
}
const titleOfLabel = (row) => printable(lookOfPoint(row).title || labelOfPoint(row)) || "no label";

/** Marks of the legend, 14 by 14: by what a kernel is limited. */
const LIMIT_SHAPES = {
  compute: "M3 3.5h8v8h-8Z",
  memory: "M2.5 7.5a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0Z",
  latency: "M7 .5l6 10.5h-12Z",
  "not known": "M7 2l5.6 5.6l-5.6 5.6l-5.6-5.6Z",
};

/** What limits a kernel: as ncu says it, else by its side of the ridge. */
const limitOf = (row) => [row.verdict, row.bound].find((one) => one in LIMIT_SHAPES);

/** Nanoseconds; 0 where nothing measured its time. */
const nsOfPoint = (row) => BigInt(row.total_ns ?? 0);
const timeText = (ns) => (ns > 0n ? humanTime(ns) : "no duration");

const nameOfPoint = (row) => shownName(String(row.key));

/** `charts`: SVG of several widths; `rows`: those that their points are of. */
class RooflineChart {
  constructor(rows, charts) {
    this.drawings = charts.map((text) => new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
    this.rows = this.drawings.slice(0, 1).flatMap((svg) => [...svg.querySelectorAll(".point")].map((mark) => rows[mark.dataset.point]));
    this.points = [];
    this.shown = null;
    this.at = 0; // the point that the keyboard is at
    this.tip = element("div", { className: "roofline-tip", hidden: true });
    this.guide = drawn("line", { class: "distance", visibility: "hidden" });
    this.box = element("div", {
      className: "roofline-view",
      onpointermove: (event) => this.show(this.nearest(event)),
      onpointerleave: () => this.show(null),
      onkeydown: (event) => this.press(event),
      onfocusin: ({ target }) => this.show(this.points.find(({ mark }) => mark === target) ?? null),
      onfocusout: () => this.show(null),
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** The drawing that is nearest to the width of the card. */
  draw() {
    const { clientWidth, isConnected } = this.box;
    if (!isConnected || clientWidth === 0) return;
    const away = (svg) => Math.abs(Math.log(svg.viewBox.baseVal.width / clientWidth));
    const [svg] = [...this.drawings].sort((a, b) => away(a) - away(b));
    if (!svg || svg === this.svg) return;
    this.show(null);
    this.svg = svg;
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", `Roofline of ${this.rows.length} points; the arrow keys go from one to the next; the table below has the same numbers`);
    svg.append(this.guide);
    this.box.replaceChildren(svg, this.tip);
    this.points = [...svg.querySelectorAll(".point")].map((mark, at) => this.pointOf(mark, at));
  }

  pointOf(mark, at) {
    const row = this.rows[at];
    const source = row.source === "shapes" ? ", computed from shapes of ops" : "";
    mark.style.fill = lookOfPoint(row).color;
    mark.setAttribute("role", "img");
    mark.setAttribute("tabindex", at === this.at ? "0" : "-1");
    mark.setAttribute("aria-label", `${nameOfPoint(row)}, ${inSi(row.flops_per_s, "FLOP/s")} at ${shortNumber(row.intensity)} FLOP per byte, ${timeText(nsOfPoint(row))}, limited by ${limitOf(row) ?? "what is not known"}${source}`);
    const { x, y, width, height } = mark.getBBox();
    return { row, mark, x: x + width / 2, y: y + height / 2, radius: width / 2 };
  }

  nearest({ clientX, clientY }) {
    const { left, top, width } = this.svg.getBoundingClientRect();
    const scale = width / this.svg.viewBox.baseVal.width;
    const away = ({ x, y, radius }) => Math.max(0, Math.hypot(x * scale + left - clientX, y * scale + top - clientY) - radius * scale) + radius / 1000;
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
    const box = point.mark.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = box.right + 14 + width > innerWidth - 8 ? box.left - 14 - width : box.right + 14;
    this.tip.style.left = `${Math.max(8, left)}px`;
    this.tip.style.top = `${Math.max(8, Math.min(innerHeight - height - 8, (box.top + box.bottom - height) / 2))}px`;
  }

  /** A line from a point up to its roof. */
  measureDistance({ mark, x, y, radius }) {
    if (!mark.dataset.roof) return;
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: y - radius, y2: mark.dataset.roof, visibility: "visible" })) this.guide.setAttribute(name, value);
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
        missing(row.measured_peak_ratio) ? null : ["Of what this GPU reached", percentText(row.measured_peak_ratio)],
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
  const limits = [...new Set(points.map((row) => limitOf(row) ?? "not known"))];
  const mark = (d, more) => drawn("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" }, drawn("path", { d, ...more }));
  return element(
    "div",
    { className: "roofline-legend" },
    ...labels.slice(0, most).map((row) => element("span", {}, swatch(lookOfPoint(row).color), titleOfLabel(row))),
    labels.length > most ? element("span", {}, `and ${labels.length - most} more labels`) : null,
    ...limits.map((limit) => element("span", {}, mark(LIMIT_SHAPES[limit]), limit === "not known" ? "limit not known" : `limited by ${limit}`)),
    points.some((row) => row.source === "shapes") ? element("span", {}, mark(LIMIT_SHAPES.memory, { "stroke-dasharray": "3 2" }), "dashed: computed from shapes of ops") : null,
  );
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
  const levels = [...new Set(ofRun.map((row) => row.scope))];
  const level = choose("level", levels, levels.includes("kernel") ? "kernel" : state.by);
  const rows = ofRun.filter((row) => row.scope === level);
  const { charts, notes } = page.rooflines.find((one) => one.run === run && one.level === level);
  const chart = new RooflineChart(rows, charts);
  const made = SHOWS.table(
    {
      ...entry,
      rows,
      sort: "-total_ns",
      columns: [
        ["key", { title: capital(printable(level)), kind: "name", kernel: true, swatch: (row) => lookOfPoint(row).color }],
        "total_ns", ...(level === "kernel" ? [{ name: "label", title: "Label", kind: "text", of: (row) => labelOfPoint(row) || null }] : []), "precision", ["flops_per_s", { title: "FLOP/s" }], ["bytes_per_s", { title: "DRAM bytes/s" }], ["intensity", { title: "FLOP per byte" }], { name: "limit", title: "Limited by", kind: "text", of: (row) => limitOf(row) ?? null }, ["peak_ratio", { title: "Of its roof" }], ["measured_peak_ratio", { title: "Of what this GPU reached" }], ["no_cost", { title: "Without a point" }], "at_roof_ns", "grid", "block", "source",
      ],
    },
    rooflineLegend(chart.rows),
    chart.box,
    ...notes.map((note) => element("p", { className: "roofline-note" }, note)),
  );
  const selects = [
    rooflineSelect("Level of the roofline", "level", levels, (one) => `by ${printable(one)}`),
    rooflineSelect("Run of the roofline", "run", names, shortId),
  ];
  made.querySelector(".actions").prepend(...selects.filter(Boolean));
  made.whenShown = () => chart.draw();
  return made;
};
