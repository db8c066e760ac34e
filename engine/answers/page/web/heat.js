// Heat maps of ranks: one row per rank, one column per step, label or collective. `page.heat` has them (engine/answers/page/heat_maps.cpp).
// What is drawn is also a table, one row per rank.

const HEAT_ROW = { most: 22, least: 1, all: 640, separated: 6 }; // pixels of a row, and of all rows where they are many
const HEAT_TOP = { ranks: 10, height: 16, gap: 5, above: 64 }; // of more ranks than `above`, the first are higher
const HEAT_TALLEST = 2000;
const HEAT_NAME = 12; // pixels that a column needs for its name
const HEAT_LONGEST_NAME = 20;
const HEAT_SLOPE = 0.9; // of names, in radians

/** How the columns of a table are called, by their keys. */
const HEAT_NAMES = {
  rank_steps: ([phase, step, occurrence]) => `${printable(phase)} ${step === "" ? `(${occurrence + 1}.)` : step}`,
  rank_labels: ([label]) => printable(label),
  rank_collectives: ([group, kind, number], groups) => `${shortened(shownName(kind), 40)} ${number}${groups < 2 || group === "" ? "" : ` of ${shortened(printable(group), 24)}`}`,
};

const medianOf = (values) => {
  const sorted = Float64Array.from(values).sort();
  return sorted.length === 0 ? 0 : sorted[(sorted.length - 1) >> 1];
};

/** The columns of a map: `{name, count, values, median}`; a rank without a value has NaN. */
function readHeat({ table, columns, cells }, ranks) {
  const numbers = new PackedNumbers(cells);
  const groups = new Set(columns.map(([, [group]]) => group)).size;
  return columns.map(([count, first, last]) => {
    const least = numbers.next();
    const values = Float64Array.from(ranks, () => {
      const more = numbers.next();
      return more === 0 ? NaN : least + more - 1;
    });
    const nameOf = (key) => HEAT_NAMES[table](key, groups);
    const name = count === 1 ? nameOf(first) : table === "rank_labels" ? `${grouped(count)} others` : `${nameOf(first)} to ${nameOf(last)}`;
    return { name, count, values, median: medianOf(values.filter((value) => !Number.isNaN(value))) };
  });
}

const rgbOf = (color) => color.match(/[\d.]+/g).slice(0, 3).map(Number);
const mixed = (from, to, part) => `rgb(${from.map((value, at) => Math.round(value + (to[at] - value) * part)).join(" ")})`;
const nsOf = (value) => BigInt(Math.round(value));
const signedTime = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${humanTime(nsOf(Math.abs(value)))}`;

/**
 * A map in a card. `entry` is that of the card:
 *   value: what a cell is; waits: cells are waiting, and drawn by their size; others are drawn by how far they are from the
 *   median of the ranks; order: see HEAT_ORDERS
 */
class HeatView {
  constructor(entry, map, ranks) {
    Object.assign(this, { entry, ranks, order: entry.order, cell: null });
    this.columns = readHeat(map, ranks);
    this.most = 0; // what has the strongest colour
    const sums = () => new Float64Array(ranks.length);
    Object.assign(this, { sums: sums(), over: sums(), deviation: sums(), furthest: ranks.map(() => null) });
    for (const column of this.columns) {
      column.values.forEach((value, rank) => {
        if (Number.isNaN(value)) return;
        const over = value - column.median;
        this.sums[rank] += value;
        this.over[rank] += over;
        this.deviation[rank] += Math.abs(over);
        const before = this.furthest[rank];
        if (over !== 0 && (before === null || Math.abs(over) > Math.abs(before.over))) this.furthest[rank] = { column, over };
        this.most = Math.max(this.most, entry.waits ? value : Math.abs(over));
      });
    }
    this.canvas = element("canvas", { tabIndex: 0, role: "img", "aria-label": `${entry.title}: ${ranks.length} ranks by ${this.columns.length} columns. The table below has the same numbers.` });
    this.box = element("div", { className: "heat-view" }, this.canvas);
    this.tip = element("div", { className: "heat-tip", hidden: true });
    this.legend = element("div", { className: "heat-legend" });
    this.canvas.onpointermove = (event) => this.point(event);
    this.canvas.onpointerdown = (event) => this.point(event);
    this.canvas.onpointerleave = () => this.show(null);
    this.canvas.onblur = () => this.show(null);
    this.canvas.onkeydown = (event) => this.move(event);
    this.table = this.makeTable();
    new ResizeObserver(() => this.box.isConnected && this.box.clientWidth !== this.width && this.draw()).observe(this.box);
  }

  makeTable() {
    const { entry, columns } = this;
    const rows = this.ranks.map((rank, at) => ({ rank, at }));
    const time = (name, title, of, more = {}) => ({ name, title, kind: "time", csv_title: `${name}_ns`, of: (row) => of(row.at), ...more });
    const table = new DataTable({
      title: entry.title,
      file: entry.id,
      noun: "rank",
      first: Math.min(this.ranks.length, HEAT_FIRST),
      rows,
      sort: HEAT_ORDERS[this.order].sort,
      columns: [
        { name: "rank", title: "Rank", kind: "id", csv_title: "rank", of: (row) => row.rank },
        time("sum", entry.value, (at) => this.sums[at]),
        time("over", "Above the medians", (at) => this.over[at], { signed: true, hint: "The sum of the differences from the median of the ranks in each column" }),
        time("deviation", "Deviation", (at) => this.deviation[at], { hint: "The same sum without signs" }),
        { name: "furthest", title: "Largest difference in", kind: "text", of: (row) => this.furthest[row.at]?.column.name },
        time("difference", "Difference", (at) => this.furthest[at]?.over, { signed: true }),
        ...columns.map((column) => time(column.name, column.name, (at) => (Number.isNaN(column.values[at]) ? null : column.values[at]), { saved: true, csv_title: column.name })),
      ],
    });
    table.draw();
    return table;
  }

  orderSelect() {
    const choices = this.entry.orders.map((name) => element("option", { value: name }, HEAT_ORDERS[name].title));
    const select = element("select", { "aria-label": `Order of the ranks of ${this.entry.title}` }, ...choices);
    select.value = this.order;
    select.onchange = () => {
      this.order = select.value;
      heatOrders.set(this.entry.id, this.order);
      this.table.set({ sort: HEAT_ORDERS[this.order].sort });
      this.draw();
    };
    return select;
  }

  /** Ranks as they are drawn, from above. */
  sorted() {
    const places = this.ranks.map((_, at) => at);
    const by = { "-sum": this.sums, "-deviation": this.deviation }[HEAT_ORDERS[this.order].sort];
    return by ? places.sort((a, b) => by[b] - by[a] || a - b) : places;
  }

  draw() {
    if (!this.box.isConnected) return;
    this.width = this.box.clientWidth;
    this.rows = this.sorted();
    const count = this.rows.length;
    const font = `11px ${FONT}`;
    const longest = Math.max(...this.ranks.map((rank) => String(rank).length));
    this.left = Math.ceil(widthOf("0".repeat(longest), font)) + 10;
    this.height = Math.min(HEAT_ROW.most, Math.max(HEAT_ROW.least, Math.floor(HEAT_ROW.all / count)));
    if (this.height * count > HEAT_TALLEST) this.height = HEAT_TALLEST / count;
    this.higher = this.order !== "rank" && count > HEAT_TOP.above ? HEAT_TOP.ranks : 0;
    const names = this.columns.map(({ name }) => shortened(name, HEAT_LONGEST_NAME));
    const longestName = Math.max(...names.map((name) => widthOf(name, font)));
    const stepAt = (left) => Math.min(90, Math.max((this.width - left - 1) / this.columns.length, 0.25));
    const named = stepAt(this.left) >= HEAT_NAME;
    if (named) this.left = Math.max(this.left, Math.ceil(longestName * Math.cos(HEAT_SLOPE) - stepAt(this.left) / 2) + 4);
    this.step = stepAt(this.left);
    const below = named ? Math.ceil(longestName * Math.sin(HEAT_SLOPE)) + 14 : 18;
    this.bottom = this.topOf(count);
    const tall = Math.ceil(this.bottom) + below;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(tall * scale);
    this.canvas.style.height = `${tall}px`;
    const pen = this.canvas.getContext("2d");
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, this.width, tall);
    this.colors = { card: rgbOf(ink("card")), more: rgbOf(ink("heat-more")), less: rgbOf(ink("heat-less")), none: ink("raised"), faint: ink("faint"), text: ink("text") };
    this.columns.forEach((column, at) => {
      const x = this.left + at * this.step;
      this.rows.forEach((rank, row) => {
        const height = this.heightOf(row);
        const gap = height >= HEAT_ROW.separated && this.step >= 4 ? 1 : 0;
        pen.fillStyle = this.colorOf(column, rank);
        pen.fillRect(x, this.topOf(row), Math.max(this.step - gap, 0.5), Math.max(height - gap, 0.5));
      });
    });
    pen.font = font;
    pen.fillStyle = this.colors.faint;
    this.drawNames(pen, names, named, tall);
    this.drawLegend();
    this.drawCell(pen);
  }

  heightOf(row) {
    return row < this.higher ? HEAT_TOP.height : this.height;
  }
  /** Where a row begins, or where the last ends. */
  topOf(row) {
    const gap = this.higher > 0 && row >= this.higher ? HEAT_TOP.gap : 0;
    return 2 + Math.min(row, this.higher) * HEAT_TOP.height + gap + Math.max(0, row - this.higher) * this.height;
  }
  /** The row at a height in the picture; -1: none. */
  rowAt(y) {
    const begin = this.topOf(this.higher);
    if (y >= begin) return y < this.bottom ? Math.floor((y - begin) / this.height) + this.higher : -1;
    const row = Math.floor((y - 2) / HEAT_TOP.height);
    return row >= 0 && row < this.higher ? row : -1;
  }

  colorOf(column, rank) {
    const value = column.values[rank];
    if (Number.isNaN(value)) return this.colors.none;
    const { card, more, less } = this.colors;
    const from = this.entry.waits ? value : value - column.median;
    const part = this.most === 0 ? 0 : Math.sqrt(Math.abs(from) / this.most); // small differences are to be seen, too
    return mixed(card, from < 0 ? less : more, 0.06 + 0.94 * part);
  }

  drawNames(pen, names, named, tall) {
    const every = Math.ceil(13 / this.height);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (let row = 0; row < this.rows.length; row += row < this.higher ? 1 : every) {
      pen.fillText(String(this.ranks[this.rows[row]]), this.left - 6, this.topOf(row) + Math.max(this.heightOf(row), 10) / 2);
    }
    const under = this.bottom;
    if (named) {
      names.forEach((name, at) => {
        pen.save();
        pen.translate(this.left + (at + 0.5) * this.step + 3, under + 6);
        pen.rotate(-HEAT_SLOPE);
        pen.fillText(name, 0, 0);
        pen.restore();
      });
      return;
    }
    const [first, last] = [this.columns[0].name, this.columns.at(-1).name];
    const half = Math.floor((this.width - this.left) / 14);
    pen.textAlign = "left";
    pen.fillText(shortened(first, half), this.left, tall - 8);
    pen.textAlign = "right";
    if (this.columns.length > 1) pen.fillText(shortened(last, half), this.left + this.step * this.columns.length, tall - 8);
  }

  drawLegend() {
    const { card, more, less } = this.colors;
    const stops = [0, 0.25, 0.5, 0.75, 1];
    const shades = this.entry.waits ? stops.map((at) => mixed(card, more, 0.06 + 0.94 * at)) : [...[...stops].reverse().map((at) => mixed(card, less, 0.06 + 0.94 * at)), ...stops.map((at) => mixed(card, more, 0.06 + 0.94 * at))];
    const bar = element("span", { className: "heat-scale", style: { background: `linear-gradient(to right, ${shades.join(", ")})` }, "aria-hidden": "true" });
    const most = humanTime(nsOf(this.most));
    this.legend.replaceChildren(...(this.entry.waits ? ["0", bar, most] : [`−${most}`, bar, `+${most} from the median of the ranks`]));
  }

  /** A frame around the cell that the tooltip is about. */
  drawCell(pen) {
    if (this.cell === null) return;
    const [row, column] = this.cell;
    pen.strokeStyle = this.colors.text;
    pen.lineWidth = 1.5;
    pen.strokeRect(this.left + column * this.step - 1, this.topOf(row) - 1, Math.max(this.step, 3) + 1, Math.max(this.heightOf(row), 3) + 1);
  }

  point({ clientX, clientY, offsetX, offsetY }) {
    const column = Math.floor((offsetX - this.left) / this.step);
    const row = this.rowAt(offsetY);
    const inside = column >= 0 && column < this.columns.length && row >= 0;
    this.show(inside ? [row, column] : null, clientX, clientY);
  }

  move(event) {
    const [down, right] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[event.key] || [];
    if (down === undefined) return;
    event.preventDefault();
    const [row, column] = this.cell || [0, -right];
    const next = [Math.min(Math.max(row + down, 0), this.rows.length - 1), Math.min(Math.max(column + right, 0), this.columns.length - 1)];
    const { left, top } = this.canvas.getBoundingClientRect();
    this.show(next, left + this.left + (next[1] + 0.5) * this.step, top + this.topOf(next[0]) + 0.5 * this.heightOf(next[0]));
  }

  show(cell, x, y) {
    const same = JSON.stringify(cell) === JSON.stringify(this.cell);
    this.cell = cell;
    if (!same) this.draw();
    this.tip.hidden = cell === null;
    if (cell === null) return;
    const rank = this.rows[cell[0]];
    const { name, values, median } = this.columns[cell[1]];
    const value = values[rank];
    const none = Number.isNaN(value);
    this.tip.replaceChildren(
      tip([`Rank ${this.ranks[rank]}`], [name], [
        [this.entry.value, none ? "none" : exactTime(nsOf(value))],
        ["Median of the ranks", exactTime(nsOf(median))],
        none ? null : ["Difference", signedTime(value - median)],
      ]),
    );
    const { offsetWidth, offsetHeight } = this.tip;
    this.tip.style.left = `${Math.max(8, Math.min(x + 14, innerWidth - offsetWidth - 8))}px`;
    this.tip.style.top = `${y + 16 + offsetHeight > innerHeight ? Math.max(8, y - offsetHeight - 12) : y + 16}px`;
  }
}

const HEAT_FIRST = 10; // rows of the table at first
const HEAT_ORDERS = {
  slowest: { title: "Slowest first", sort: "-sum" },
  waits: { title: "Waits most first", sort: "-sum" },
  deviation: { title: "Deviating first", sort: "-deviation" },
  rank: { title: "By rank", sort: "rank" },
};

const heatOrders = new Map(); // by card: what the user chose
const heatViews = new Map(); // by card: the one in the page
const drawHeatMaps = () => heatViews.forEach((view) => view.draw());

SHOWS.heat = (entry) => {
  const maps = (page.heat?.maps || []).filter(({ table }) => table === entry.table);
  if (maps.length === 0) return null;
  const map = maps.find(({ of }) => of === state.by) || maps.find(({ of }) => of === "substage") || maps[0];
  const title = map.of === "" ? entry.title : `${entry.title} of ${printable(map.of)}`;
  const view = new HeatView({ ...entry, title, order: heatOrders.get(entry.id) || entry.orders[0] }, map, page.heat.ranks);
  heatViews.set(entry.id, view);
  const made = card(entry.id, title, entry.note, [view.table.tools], view.legend, view.box, view.table.box, view.tip);
  made.querySelector(".actions").prepend(view.orderSelect()); // not on paper
  made.whenShown = () => view.draw();
  return made;
};
