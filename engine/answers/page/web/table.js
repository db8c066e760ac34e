// Tables that can be sorted, searched, copied and saved, with any rows.
//
// A column: `{name, title, kind, of}`, where `of(row)` is the value and `kind` one of
//   name, text: a text, cut to the width of the cell; a click shows all of it
//   count, number: a whole number, any number; rate: a number with a prefix, `989 T`
//   time: ns in the unit of the column
//   share: from 0 to 1; part: [part, whole], compared exactly
//   times: a factor; percent: from 0 to 100
//   id: a whole number that names something
//   bar: an element, which is neither sorted nor copied
// Null and undefined are empty cells. What else a column may have:
//   kernel: values are names of kernels, shown in their short form
//   hint: the tooltip of the heading; group: a heading over several columns
//   unit: instead of the one that suits the largest value; fine: one in which the smallest value has digits, too
//   plain: the heading does not name the unit; compared: columns of one value have one unit
//   signed: a change, with its sign; judge(row): `better` or `worse` where that is known
//   swatch(row): a colour beside the text, or in the heading if it is not a function
//   title_of(row): instead of the text when pointed at; after(row): more text, fainter
//   below(row): a line below a time; beside(row): a text beside a time
//   track(row): the colour of a bar beside a part; heat: a bar behind a share
//   draw(row, unit): makes the cell; csv(row): what is copied and saved instead of `of`
//   early: on a narrow screen it comes before the others
//   saved: the column is only in what is copied and saved

const FIRST_ROWS = 25;
const MORE_ROWS = 250;
const LONGEST_CELL = 4000;
const LONGEST_WHOLE = 240; // characters
const ROW = 30; // pixels, of a table that scrolls; page.css has the same
const TALLEST = 500; // pixels; as in page.css
const MOST_ROWS = 400000; // taller tables than browsers can scroll are cut
const EXTRA_ROWS = 12; // drawn beyond what is seen

const MOST_PRINTED = 1000; // rows
const LONGEST_PRINTED = 160;

const SIGNS = { part: "%", share: "%", percent: "%" }; // in the heading

const isNumber = (column) => !["name", "text", "bar"].includes(column.kind);
const missing = (value) => value === null || value === undefined;
const inOrder = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** A whole number, as a BigInt; a mean has a fraction, which counts for less than a nanosecond. */
const wholeNs = (value) => BigInt(typeof value === "number" ? Math.round(value) : value);

function sizeText(value, column, unit) {
  switch (column.kind) {
    case "id":
      return String(value);
    case "count":
      return withCommas(String(value));
    case "time":
      return roundedTime(wholeNs(value), unit);
    case "part":
      return value[1] === 0n ? "–" : percentOf(...value);
    case "share":
      return shortPercent(Number(value) * 100);
    case "percent":
      return shortPercent(Number(value));
    case "rate":
      return inSi(Number(value));
    default:
      return shortNumber(Number(value));
  }
}

function numberText(value, column, unit) {
  return (column.signed && value > 0 ? "+" : "") + sizeText(value, column, unit).replace(/^-/, "−");
}

/** What a number is exactly, where it is shown with fewer digits. */
function exactText(value, column) {
  if (column.kind === "time") {
    const fraction = typeof value === "number" && !Number.isInteger(value);
    return fraction ? `${withCommas(value.toFixed(3))} ns` : `${exactTime(BigInt(value))} · ${grouped(BigInt(value))} ns`;
  }
  if (column.kind === "part") return value[1] === 0n ? undefined : `${decimal(value[0] * 100n, value[1], 6)} %`;
  if (column.kind === "share") return `${Number(value) * 100} %`;
  return ["number", "percent", "times", "rate"].includes(column.kind) ? String(value) : undefined;
}

/** Of a number, for comparison only. */
const sizeOfNumber = (value, column) => Math.abs(column.kind === "part" ? Number(value[0]) / Number(value[1]) : Number(value));

/** What a value is sorted by. */
function sortKey(value, column) {
  if (column.kernel && !missing(value)) return shownName(value);
  if (!isNumber(column)) return String(value ?? "");
  if (missing(value)) return null;
  if (column.kind === "part") return value;
  const whole = typeof value !== "number" || Number.isInteger(value);
  return whole && ["id", "count", "time"].includes(column.kind) ? BigInt(value) : Number(value);
}

/** Parts of different wholes are compared by cross products, exactly. */
function compareKeys(column) {
  return column.kind === "part" ? ([a, wholeA], [b, wholeB]) => inOrder(a * wholeB, b * wholeA) : inOrder;
}

/** Of sizes that differ much, such as durations of single operations: the largest unit in which the smallest has digits. */
function fineUnit(sizes) {
  const unit = unitOf(largestOf(sizes));
  const least = sizes.filter((size) => size > 0n).reduce((least, size) => (size < least ? size : least), largestOf(sizes));
  return state.unit === "auto" ? UNITS.find((one) => one.ns <= unit.ns && least * 100n >= one.ns) || unit : unit;
}

/** What is wider than its place scrolls sideways, with a shadow where there is more, and a line that says so. */
function sideways(scroll) {
  const hint = element("p", { className: "faint more-columns", hidden: true, "aria-hidden": "true" }, "more columns →");
  const frame = element("div", { className: "frame" }, scroll);
  const mark = () => {
    const left = scroll.scrollLeft;
    const right = scroll.scrollWidth - scroll.clientWidth - left;
    frame.toggleAttribute("data-left", left > 1);
    frame.toggleAttribute("data-right", right > 1);
    hint.hidden = left <= 1 && right <= 1;
    hint.textContent = right > 1 ? "more columns →" : "← more columns";
  };
  scroll.addEventListener("scroll", mark, { passive: true });
  const sizes = new ResizeObserver(mark);
  sizes.observe(scroll);
  sizes.observe(scroll.firstElementChild);
  return element("div", {}, frame, hint);
}

/** A bar behind a number, `part` of the cell wide. */
function warm(cell, part) {
  cell.classList.add("heat");
  cell.style.setProperty("--part", String(Math.max(0, Math.min(1, part))));
}

/** What is copied of a shown name, or of a part of it, is the whole name. */
function copyWholeName(event) {
  const { anchorNode, focusNode } = getSelection();
  const nameOf = (node) => (node instanceof Element ? node : node?.parentElement)?.closest(".pieces");
  const shown = nameOf(anchorNode);
  if (!shown || shown !== nameOf(focusNode)) return;
  event.clipboardData.setData("text/plain", shown.dataset.name);
  event.preventDefault();
}

/** Choices of tables that are created again, by their file. */
const keptChoices = new Map();

class DataTable {
  /**
   * `title`: its name; `file`: of what is saved, without an ending; `columns`, `rows`; `sort`: a column,
   * with `-` the largest first; `searched`: the columns that the search field searches, without them
   * there is no field; `filter(row)`: whether a row is shown; `foot`: rows below all others.
   * `tall`: it scrolls, and only the rows in view are drawn; otherwise `first` rows, and more by a button.
   * `press(row)`: what a click on a row does, or null; `chosen(row)`: a row is marked with a click or
   * the arrow keys. `noun`: what a row is; `counted(rows)`: a text beside their number.
   * `onchange({sort})`, `onchange({search})`: the page keeps the choices and calls `set`.
   */
  constructor(options) {
    const given = { searched: [], first: FIRST_ROWS, foot: [], filters: [], noun: "row", wanted: "", sort: "", ...options };
    Object.assign(this, given, { firstSort: given.sort });
    if (!this.onchange) Object.assign(this, keptChoices.get(this.file));
    this.shown = Math.max(this.first, this.shown || 0);
    this.marked = null;
    this.lowered = new Map();
    this.head = element("thead");
    this.body = element("tbody");
    this.tail = element("tfoot");
    this.count = element("span", { className: "faint count", role: "status" });
    this.more = quietButton("", { className: "quiet more", hidden: true, onclick: () => this.keep({ shown: this.shown + MORE_ROWS }) });
    const caption = element("caption", { className: "unseen" }, this.title);
    const table = element("table", { className: "data-table" }, caption, this.head, this.body, this.tail);
    this.scroll = element(
      "div",
      { className: this.tall ? "scroll rows" : "scroll", tabIndex: 0, role: "region", "aria-label": this.title },
      table,
    );
    this.left = element("p", { className: "faint left", hidden: true });
    this.box = element("div", { className: "table-box" }, sideways(this.scroll), this.more, this.left);
    new ResizeObserver(() => this.placeSecond()).observe(table);
    this.tools = this.makeTools();
    this.body.addEventListener("copy", copyWholeName);
    if (this.tall) this.setUpScrolling();
  }

  /** Other rows, columns or choices. */
  set(options) {
    Object.assign(this, options);
    this.draw();
  }

  /** Keeps a choice for the time when the table is created again. */
  keep(choice) {
    if (this.onchange && !("shown" in choice)) {
      return this.onchange("wanted" in choice ? { search: choice.wanted } : choice);
    }
    Object.assign(this, choice);
    const { sort, wanted, shown } = this;
    keptChoices.set(this.file, { sort, wanted, shown });
    this.draw();
  }

  /** The search field and buttons beside the heading of the table. */
  makeTools() {
    const tools = element("div", { className: "actions" });
    if (this.searched.length > 0) {
      this.field = element("input", {
        type: "search",
        placeholder: this.placeholder || "Search",
        "aria-label": `${this.placeholder || "Search"} (${this.title})`,
        spellcheck: false,
        autocomplete: "off",
        oninput: () => {
          clearTimeout(this.typing);
          this.typing = setTimeout(() => {
            this.typing = 0;
            this.keep({ wanted: this.field.value });
          }, 120);
        },
      });
      tools.append(this.field);
    }
    tools.append(
      ...this.filters,
      quietButton("Copy", {
        title: "Copy the rows for a spreadsheet",
        onclick: (event) => copy(event.currentTarget, csvText(this.cells(), "\t")),
      }),
      quietButton("CSV", { title: "Save the rows", onclick: () => save(`${this.file}.csv`, csvText(this.cells()), "text/csv") }),
    );
    return tools;
  }

  /**
   * The columns shown. Where there is room for two, these are the one that names a row and its time;
   * they stay, and the others scroll.
   */
  arrange() {
    const shown = this.columns.filter((column) => !column.saved);
    if (!isNarrow()) return shown;
    const isTime = (column) => column?.kind === "time";
    const numbers = shown.findIndex((column) => isNumber(column) || column.kind === "bar");
    const first = shown.find(({ kind }) => kind === "name") || shown[Math.max(numbers < 0 ? 0 : numbers - 1, 0)];
    const sorted = this.sorting().column;
    const second = isTime(sorted) && shown.includes(sorted) ? sorted : shown.find((one) => isTime(one) && one.signed) || shown.find(isTime) || shown.find(isNumber);
    const stay = [...new Set([first, second].filter(Boolean))];
    const others = shown.filter((column) => !stay.includes(column));
    return [...stay, ...others.filter(({ early }) => early), ...others.filter(({ early }) => !early)];
  }

  /** Where the second of the columns that stay begins. */
  placeSecond() {
    const first = this.head.lastChild?.firstChild;
    if (first && isNarrow()) this.scroll.style.setProperty("--second", `${first.offsetWidth}px`);
  }

  /** The smallest number of a column that is not 0, and the largest: no other has more digits. */
  extremes(column) {
    let [least, most] = [null, null];
    let [leastSize, mostSize] = [Infinity, 0];
    for (const rows of [this.rows, this.foot]) {
      for (const row of rows) {
        const value = column.of(row);
        if (missing(value)) continue;
        const size = sizeOfNumber(value, column);
        if (size > 0 && size < leastSize) [least, leastSize] = [value, size];
        if (size > mostSize) [most, mostSize] = [value, size];
      }
    }
    return [least, most].filter((value) => value !== null);
  }

  /** The longest texts before and behind the decimal point. */
  measure(column) {
    if (column.kind === "rate") return { whole: "99.9 T", fraction: "" };
    const texts = this.extremes(column).map((value) => numberText(value, column, this.units.get(column)));
    const parts = texts.map((text) => numberParts(text));
    // Not as small as to be `<0.001`, a number has more digits.
    if (texts.some((text) => text.includes("<")) && !(column.kind in SIGNS)) parts.push(["0", ".00000"]);
    // Short of 100 %, a number has more digits than both.
    if (column.kind === "share" || column.kind === "percent") {
      const whole = column.kind === "share" ? 1 : 100;
      const near = this.rows.map((row) => Number(column.of(row))).filter((value) => value > 0.999 * whole && value < whole);
      parts.push(...near.map((value) => numberParts(numberText(value, column, this.units.get(column)))));
    }
    if (column.signed) parts.push(...parts.map(([whole, rest]) => [`+${whole.replace(/^[+−]/, "")}`, rest]));
    const longest = (at) => parts.reduce((most, part) => (part[at].length > most.length ? part[at] : most), "");
    return { whole: longest(0), fraction: longest(1) };
  }

  sorting() {
    const [sort] = [this.sort, this.firstSort].filter((one) => this.columns.some(({ name }) => name === one.replace(/^-/, "")));
    const falling = Boolean(sort?.startsWith("-"));
    return { column: this.columns.find(({ name }) => name === sort?.replace(/^-/, "")), falling };
  }

  lowerCase(text) {
    if (!this.lowered.has(text)) this.lowered.set(text, printable(text).toLowerCase());
    return this.lowered.get(text);
  }

  /** The rows that are shown, in order; equal ones stay as they are. */
  find() {
    let rows = this.filter ? this.rows.filter(this.filter) : this.rows;
    const wanted = this.wanted.toLowerCase();
    if (wanted !== "") {
      const columns = this.columns.filter((column) => this.searched.includes(column.name));
      const found = (text) => this.lowerCase(text).includes(wanted);
      rows = rows.filter((row) =>
        columns.some((column) => {
          const text = String(column.of(row) ?? "");
          return found(text) || (column.kernel && found(shownName(text)));
        }),
      );
    }
    const { column, falling } = this.sorting();
    if (column === undefined) return rows;
    const keys = new Map(rows.map((row) => [row, sortKey(column.of(row), column)]));
    const compare = compareKeys(column);
    return [...rows].sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      // Empty cells come last in both orders.
      if (x === null || y === null) return (x === null) - (y === null);
      return falling ? compare(y, x) : compare(x, y);
    });
  }

  /** The rows that are shown, for a spreadsheet; times in ns, shares from 0 to 1. */
  cells() {
    const columns = this.columns.filter((column) => column.kind !== "bar");
    const title = (column) => {
      const name = column.csv_title || [column.group, column.title].filter(Boolean).join(" ");
      return column.kind === "time" && !name.endsWith("_ns") ? `${name} (ns)` : name;
    };
    const cell = (column, row) => {
      const value = (column.csv || column.of)(row);
      if (missing(value)) return "";
      if (column.kind === "part") return value[1] === 0n ? "" : Number(decimal(value[0], value[1], 9));
      if (!isNumber(column)) return printable(String(value));
      return typeof value === "string" ? BigInt(value) : value;
    };
    return [columns.map(title), ...[...this.found, ...this.foot].map((row) => columns.map((column) => cell(column, row)))];
  }

  draw() {
    this.visible = this.arrange();
    this.units = new Map(
      this.columns
        .filter(({ kind }) => kind === "time")
        .map((column) => {
          if (column.unit) return [column, column.unit];
          // Columns below one heading, and those of two sides, are compared: they have one unit.
          const shared = (one) => one.group || one.compared;
          const compared = shared(column) ? this.columns.filter((one) => shared(one) === shared(column) && one.kind === "time") : [column];
          const sizes = compared.flatMap((one) => this.extremes(one)).map((value) => (wholeNs(value) < 0n ? -wholeNs(value) : wholeNs(value)));
          return [column, column.fine ? fineUnit(sizes) : unitOf(largestOf(sizes))];
        }),
    );
    this.sizes = new Map(this.columns.filter((column) => isNumber(column) && !column.saved).map((column) => [column, this.measure(column)]));
    this.found = this.find();
    if (this.tall) this.found = this.found.slice(0, MOST_ROWS);
    if (!this.found.includes(this.marked)) this.marked = null;
    if (this.field && !this.typing && this.field.value !== this.wanted) this.field.value = this.wanted;
    this.drawHead();
    this.tail.replaceChildren(...this.foot.map((row) => this.line(row)));
    if (this.tall) this.scroll.scrollTop = 0;
    this.drawRows(true);
    this.drawCount();
  }

  drawCount() {
    const [found, all] = [this.found.length, this.rows.length];
    const count = found === all ? grouped(found) : `${grouped(found)} of ${grouped(all)}`;
    const beside = this.counted ? ` · ${this.counted(this.found)}` : "";
    if (this.tall) this.scroll.firstChild.setAttribute("aria-rowcount", String(found + 1));
    this.count.textContent = `${count} ${this.noun}${found === 1 ? "" : "s"}${beside}`;
  }

  drawHead() {
    const { column: sorted, falling } = this.sorting();
    const focused = this.head.contains(document.activeElement) ? document.activeElement.dataset.column : null;
    const columns = this.visible;
    const cells = columns.map((column, at) => {
      const unit = this.units.get(column);
      const sign = column.plain || /percent$/i.test(column.title) ? undefined : SIGNS[column.kind] || unit?.name;
      const title = sign ? `${column.title} (${sign})` : column.title;
      const words = [typeof column.swatch === "string" ? swatch(column.swatch) : "", title];
      const className = this.classAt(at, isNumber(column) ? "number" : column.kind === "bar" ? "bar-cell" : "");
      if (column.kind === "bar") return element("th", { scope: "col", className, title: column.hint }, ...words);
      const active = column === sorted;
      const next = active ? !falling : isNumber(column);
      const button = element(
        "button",
        { type: "button", title: column.hint || "", onclick: () => this.keep({ sort: (next ? "-" : "") + column.name }) },
        ...words,
        element("span", { className: "arrow", "aria-hidden": "true" }, active ? (falling ? "↓" : "↑") : ""),
      );
      button.dataset.column = column.name;
      return element("th", { scope: "col", className, "aria-sort": active ? (falling ? "descending" : "ascending") : "none" }, button);
    });
    const lines = [element("tr", {}, ...cells)];
    if (columns.some((column) => column.group)) lines.unshift(this.groupRow(columns));
    this.head.replaceChildren(...lines);
    if (focused) this.head.querySelector(`[data-column="${CSS.escape(focused)}"]`)?.focus();
  }

  /** On a narrow screen two columns stay. */
  classAt(at, className) {
    if (!isNarrow() || at > 1) return className;
    return `${className} ${at === 0 ? "first" : "second"}`;
  }

  groupRow(columns) {
    const cells = [];
    for (const column of columns) {
      const group = column.group || "";
      const last = cells[cells.length - 1];
      if (last && group !== "" && last.textContent === group) ++last.colSpan;
      else cells.push(group === "" ? element("td") : element("th", { scope: "colgroup", colSpan: 1 }, group));
    }
    return element("tr", { className: "group" }, ...cells);
  }

  textCell(column, value, row) {
    if (missing(value) || value === "") return element("td", { className: "text-cell faint" }, "–");
    const text = printable(String(value));
    const title = column.title_of ? column.title_of(row) : shortened(text, column.kernel ? LONGEST_CELL : 600);
    const after = column.after?.(row);
    const colored = () => (typeof column.swatch === "function" ? swatch(column.swatch(row)) : "");
    const afterwards = after ? element("span", { className: "after" }, after) : "";
    const plain = () => [colored(), shortened(text, printing.on ? LONGEST_PRINTED : this.tall ? 400 : LONGEST_CELL), afterwards];
    const words = column.kernel ? [namePieces(piecesOf(value), "", colored())] : plain();
    if (column.kernel) {
      words[0].append(afterwards);
      words[0].dataset.name = text;
    }
    // Sentences are shown whole; names, and very long texts, are cut.
    const isWhole = !this.tall && !column.kernel && text.length > LONG && text.length <= LONGEST_WHOLE;
    const className = `${column.kind === "name" ? "name-cell" : "text-cell"}${isWhole ? " whole" : ""}`;
    // Rows of a table that scrolls have one height, and are marked to show more.
    if (this.tall || this.foot.includes(row)) return element("td", { className, title }, ...words);
    const goes = this.press?.(row);
    const open = ({ currentTarget: one }) => {
      const opened = one.getAttribute("aria-expanded") !== "true";
      one.setAttribute("aria-expanded", String(opened));
      if (column.kernel) one.replaceChildren(...(opened ? plain() : words));
    };
    const button = element(
      "button",
      { type: "button", className: "link", title, ...(goes ? {} : { "aria-expanded": "false", onclick: open }) },
      ...words,
    );
    return element("td", { className }, button);
  }

  cell(column, row) {
    const unit = this.units.get(column);
    if (column.draw) return column.draw(row, unit);
    const value = column.of(row);
    if (column.kind === "bar") return element("td", { className: "bar-cell" }, value);
    if (!isNumber(column)) return this.textCell(column, value, row);
    if (missing(value)) return element("td", { className: "number faint" }, "–");
    const { fraction } = this.sizes.get(column);
    const cell = numberCell(numberText(value, column, unit), fraction, exactText(value, column));
    const color = column.track?.(row);
    if (color) cell.prepend(element("span", { className: "track", "aria-hidden": "true" }, element("span", { className: "fill", style: { width: `${ratio(...value) * 100}%`, backgroundColor: color } })));
    if (column.beside) cell.append(element("span", { className: "beside" }, column.beside(row) || ""));
    if (column.below) cell.append(element("span", { className: "below" }, column.below(row)));
    if (column.heat) warm(cell, Number(value));
    if (column.judge) cell.classList.add("change", column.judge(row) || "same");
    return cell;
  }

  /** A row that nobody sees, with the longest texts of all rows: columns keep their widths while others are drawn. */
  sizer() {
    const cells = this.visible.map((column) => {
      if (!isNumber(column)) {
        const longest = this.rows.reduce((most, row) => (String(column.of(row) ?? "").length > most.length ? String(column.of(row)) : most), "");
        return element("td", { className: column.kind === "name" ? "name-cell" : "text-cell" }, shortened(printable(longest), 80));
      }
      const { whole, fraction } = this.sizes.get(column);
      return numberCell(whole + fraction);
    });
    return element("tr", { className: "sizer", "aria-hidden": "true" }, ...cells);
  }

  line(row, at) {
    const goes = at !== undefined && this.press?.(row);
    const cells = this.visible.map((column) => this.cell(column, row));
    cells.forEach((cell, at) => (cell.className = this.classAt(at, cell.className)));
    const line = element("tr", { className: this.className?.(row) || "" }, ...cells);
    if (!isNumber(this.visible[0])) line.firstChild.setAttribute("role", "rowheader");
    if (goes) {
      line.classList.add("goes");
      line.addEventListener("click", goes);
    }
    if (this.tall) {
      line.dataset.at = at;
      line.setAttribute("aria-rowindex", at + 2);
      line.classList.toggle("chosen", row === this.marked);
      if (row === this.marked) line.setAttribute("aria-selected", "true");
    }
    return line;
  }

  drawRows(again) {
    if (!this.found) return;
    const lines = [];
    let [from, to] = [0, Math.min(printing.on ? MOST_PRINTED : this.shown, this.found.length)];
    const scrolls = this.tall && !printing.on;
    if (scrolls) {
      const seen = Math.ceil((Math.max(this.scroll.clientHeight, TALLEST) - this.head.offsetHeight) / ROW) + 1;
      const first = Math.max(Math.floor(this.scroll.scrollTop / ROW) - EXTRA_ROWS, 0);
      from = first - (first % EXTRA_ROWS);
      if (!again && from === this.drawnFrom) return;
      this.drawnFrom = from;
      to = Math.min(from + seen + 3 * EXTRA_ROWS, this.found.length);
    }
    for (let at = from; at < to; ++at) lines.push(this.line(this.found[at], at));
    const colSpan = this.visible.length;
    if (lines.length === 0) lines.push(element("tr", {}, element("td", { className: "nothing", colSpan }, `No ${this.noun} matches.`)));
    // Two rows as tall as those above and below what is in view.
    const blank = (count) =>
      count === 0 ? null : element("tr", { className: "blank", "aria-hidden": "true" }, element("td", { colSpan, style: { height: `${count * ROW}px` } }));
    const [above, below] = scrolls ? [blank(from), blank(this.found.length - to)] : [null, null];
    this.body.replaceChildren(...[scrolls ? this.sizer() : null, above, ...lines, below].filter(Boolean));
    const left = scrolls ? 0 : this.found.length - to;
    this.left.hidden = left <= 0 || !printing.on;
    this.left.textContent = `and ${grouped(left)} more ${this.noun}${left === 1 ? "" : "s"}`;
    this.more.hidden = left <= 0;
    this.more.textContent = `Show ${grouped(Math.min(left, MORE_ROWS))} more of ${grouped(this.found.length)}`;
  }

  /** Marks the row at a place, and brings it into view. */
  mark(place) {
    if (this.found.length === 0) return;
    const at = Math.min(Math.max(place, 0), this.found.length - 1);
    this.marked = this.found[at];
    const top = at * ROW;
    if (top < this.scroll.scrollTop) this.scroll.scrollTop = top;
    const bottom = top + ROW + this.head.offsetHeight - this.scroll.clientHeight;
    if (bottom > this.scroll.scrollTop) this.scroll.scrollTop = bottom;
    this.drawRows(true);
    this.chosen?.(this.marked);
  }

  setUpScrolling() {
    this.scroll.addEventListener("scroll", () => this.drawRows(false), { passive: true });
    new ResizeObserver(() => this.found && this.drawRows(true)).observe(this.scroll);
    this.body.addEventListener("click", (event) => {
      const line = event.target.closest("tr[data-at]");
      if (line) this.mark(Number(line.dataset.at));
    });
    this.scroll.addEventListener("keydown", (event) => {
      const now = this.found.indexOf(this.marked);
      const page = Math.max(Math.floor(this.scroll.clientHeight / ROW) - 2, 1);
      const moves = {
        ArrowDown: now + 1,
        ArrowUp: Math.max(now - 1, 0),
        PageDown: now + page,
        PageUp: now - page,
        Home: 0,
        End: this.found.length - 1,
      };
      if (event.target !== this.scroll || !(event.key in moves)) return;
      event.preventDefault();
      this.mark(moves[event.key]);
    });
  }
}
