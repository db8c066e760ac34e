// The timeline: what each device ran over time, in the colours of labels, with steps and layers above.
//
// A run has all its operations, or bins by name and narrower ones by label (see engine/facts/timeline). What is drawn are columns: groups of
// bins, one to two pixels wide, with the exact time of each label. A column is as high as the device
// is busy in it; labels share that height by their times.

const LAYER_ROW = 3; // of bands; those before are steps
const BUSY = -1; // not a name

/** The first place of an ascending list whose value is `least` or more. */
function placeOf(list, least) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The operations or bins of one run. Times are ns from its first operation. */
class RunTimeline {
  constructor(packed, number) {
    this.number = number;
    this.span = Number(packed.span_ns);
    this.exact = packed.exact === 1;
    this.phases = packed.phases;
    this.omitted = packed.omitted_lanes;
    this.lanes = packed.lanes.map(([device, stream]) => ({ device, stream }));
    const devices = [...new Set(this.lanes.map(({ device }) => device))];
    this.devices = devices.map((device) => ({
      device,
      lanes: this.lanes.flatMap((lane, at) => (lane.device === device ? [at] : [])),
      bands: [],
    }));
    this.lanes.forEach((lane) => (lane.place = devices.indexOf(lane.device)));
    this.labelDimensions = packed.label_dimensions;
    this.byName = this.readBins(packed.names);
    this.byLabels = this.readBins(packed.labels);
    this.readOperations(new PackedNumbers(packed.operations));
    this.readBands(new PackedNumbers(packed.bands));
  }

  empty() {
    return [this.starts, this.byName.bins, this.byLabels.bins].every((list) => list.length === 0);
  }
  /** The bins for the chosen dimension. */
  bins() {
    return this.labelDimensions.includes(state.by) ? this.byLabels : this.byName;
  }
  /** The width in ns of what is known. */
  finest() {
    return this.exact ? 1 : this.bins().width || 1;
  }

  readPlace(place) {
    const lane = place % this.lanes.length;
    return [lane, Math.floor(place / this.lanes.length) - 1];
  }
  readOperations(numbers) {
    const [starts, ends, lanes, names] = [[], [], [], []];
    const busy = this.devices.map(() => []); // from, to, from, to
    this.longest = 0;
    let start = 0;
    while (numbers.more()) {
      start += numbers.next();
      const duration = numbers.next();
      const [lane, name] = this.readPlace(numbers.next());
      starts.push(start);
      ends.push(start + duration);
      lanes.push(lane);
      names.push(name);
      this.longest = Math.max(this.longest, duration);
      const union = busy[this.lanes[lane].place];
      if (union.length > 0 && start <= union[union.length - 1]) union[union.length - 1] = Math.max(union[union.length - 1], start + duration);
      else union.push(start, start + duration);
    }
    Object.assign(this, { starts, ends, laneOf: lanes, nameOf: names, busy });
  }
  readBins(packed) {
    const numbers = new PackedNumbers(packed.bins);
    const [bins, firsts, lanes, names, times] = [[], [], [], [], []];
    let bin = 0;
    while (numbers.more()) {
      bin += numbers.next();
      bins.push(bin);
      firsts.push(times.length);
      for (let left = numbers.next(); left > 0; --left) {
        const [lane, name] = this.readPlace(numbers.next());
        lanes.push(lane);
        names.push(name);
        times.push(numbers.next());
      }
    }
    firsts.push(times.length);
    return { width: Number(packed.width_ns), bins, firsts, lanes, names, times };
  }
  readBands(numbers) {
    while (numbers.more()) {
      const device = this.devices[numbers.next()];
      const row = numbers.next();
      let start = 0;
      for (let left = numbers.next(); left > 0; --left) {
        start += numbers.next();
        const length = numbers.next();
        const [phase, step, count] = [numbers.next() - 1, numbers.next() - 1, numbers.next()];
        device.bands.push({ row, start, end: start + length, phase, number: step, count });
      }
    }
  }

  /**
   * Calls `visit(from, ns, lane, name)` for the parts of operations in [from, to), cut at multiples of
   * `step`; `busy(from, ns, device)` for the time in which a device was busy, cut in the same way.
   */
  forEachPart(from, to, step, visit, busy, source = this.bins()) {
    const cut = (start, end, each) => {
      for (let at = Math.max(start, from), stop = Math.min(end, to); at < stop; ) {
        const next = Math.min((Math.floor(at / step) + 1) * step, stop);
        each(at, next - at);
        at = next;
      }
    };
    if (!this.exact) {
      const { width, bins, firsts, lanes, names, times } = source;
      for (let at = placeOf(bins, Math.floor(from / width)); at < bins.length && bins[at] * width < to; ++at) {
        for (let part = firsts[at]; part < firsts[at + 1]; ++part) {
          if (names[part] === BUSY) busy(bins[at] * width, times[part], this.lanes[lanes[part]].place);
          else visit(bins[at] * width, times[part], lanes[part], names[part]);
        }
      }
      return;
    }
    for (let at = placeOf(this.starts, from - this.longest); at < this.starts.length && this.starts[at] < to; ++at) {
      cut(this.starts[at], this.ends[at], (start, ns) => visit(start, ns, this.laneOf[at], this.nameOf[at]));
    }
    this.busy.forEach((union, device) => {
      let at = placeOf(union, from);
      for (at -= at % 2; at < union.length && union[at] < to; at += 2) {
        cut(union[at], union[at + 1], (start, ns) => busy(start, ns, device));
      }
    });
  }

  /** Sums in columns of `step` ns: by lane, column and label, and by device and column. */
  columns(from, to, step, labels, labelOf) {
    const first = Math.floor(from / step);
    const count = Math.max(Math.ceil(to / step) - first, 0);
    const sums = this.lanes.map(() => new Float64Array(count * labels));
    const busy = this.devices.map(() => new Float64Array(count));
    this.forEachPart(
      first * step,
      (first + count) * step,
      step,
      (start, ns, lane, name) => (sums[lane][(Math.floor(start / step) - first) * labels + labelOf[name]] += ns),
      (start, ns, device) => (busy[device][Math.floor(start / step) - first] += ns),
    );
    return { first, count, step, labels, sums, busy };
  }

  /** Names with their time on some lanes, the longest first, in [from, to) or the bins that contain it. */
  namesIn(from, to, lanes) {
    const times = new Map();
    const width = this.exact ? 1 : this.byName.width || 1;
    const [begin, end] = [Math.floor(from / width) * width, Math.ceil(to / width) * width];
    const add = (_, ns, lane, name) => lanes.includes(lane) && times.set(name, (times.get(name) || 0) + ns);
    this.forEachPart(begin, end, end - begin, add, () => {}, this.byName);
    return { begin, end, names: [...times].sort((a, b) => b[1] - a[1]) };
  }

  /** The operation of a lane at a time, if the run has its operations. */
  operationAt(time, lanes) {
    if (!this.exact) return null;
    for (let at = placeOf(this.starts, time + 1) - 1; at >= 0 && this.starts[at] >= time - this.longest; --at) {
      if (this.ends[at] > time && lanes.includes(this.laneOf[at])) return { name: this.nameOf[at], start: this.starts[at], end: this.ends[at] };
    }
    return null;
  }
}

const runTimelines = (page.timelines || []).map((packed, number) => new RunTimeline(packed, number));
const shownTimelines = runTimelines.filter((run) => !run.empty());
const wholeSpan = Math.max(...shownTimelines.map((run) => run.span), 1);
const kernelRows = runs.map(() => []);
for (const row of kernels) kernelRows[row.number][row.at] = row;

const exactNs = (ns) => exactTime(BigInt(Math.round(ns)));
const shareText = (part, whole) => share(BigInt(Math.round(part)), BigInt(Math.round(whole)));

/** The labels of the chosen dimension, as in the chart; by run, the label of each name. */
const timelineLabels = {
  by: null,
  get() {
    if (this.by === state.by) return this;
    this.by = state.by;
    const { drawn } = pivotOf(state.by);
    this.list = drawn.map((row) => ({ ...row, color: lookOf(state.by, row.label).color }));
    const places = new Map(drawn.map((row, at) => [row.label, at]));
    const rest = Math.max(drawn.findIndex((row) => row.others), 0);
    this.ofName = kernelRows.map((rows) => rows.map((row) => places.get(labelOf(row, state.by)) ?? rest));
    return this;
  },
};

const PHASE_COLORS = ["#5b8def", "#b07cc6", "#3f9e8c", "#c98d4b", "#7a8fa6", "#b8607f"];
const LANE_HEIGHTS = { device: 46, stream: 20, band: 15, axis: 22, run: 22, gap: 6 };
const MOST_RECTANGLES = 3000;

const timeline = {
  from: 0,
  to: wholeSpan,
  streams: false,
  rows: [], // of the last drawing: {y, height, run, device, lanes, bands, columns}
  cursor: 0, // the row that keys choose
  canvas: element("canvas"),
  box: element("div", {
    id: "timeline-view",
    className: "timeline-view",
    tabIndex: 0,
    role: "application",
    "aria-roledescription": "timeline",
    "aria-describedby": "timeline-summary",
  }),
  tip: element("div", { className: "floating timeline-tip", hidden: true }),
  summary: element("p", { className: "faint hint", id: "timeline-summary", role: "status" }),

  narrowest() {
    return 16 * Math.min(...shownTimelines.map((run) => run.finest()));
  },
  gutter() {
    return this.width > 700 ? 124 : 58;
  },
  /** Shows [from, to), or as much of it as there is. */
  show(from, to) {
    const length = Math.min(Math.max(to - from, this.narrowest()), wholeSpan);
    this.from = Math.min(Math.max(from, 0), wholeSpan - length);
    this.to = this.from + length;
    state.span = length >= wholeSpan ? "" : `${Math.round(this.from)}-${Math.round(this.to)}`;
    this.schedule();
    clearTimeout(this.writing); // browsers limit how often an address changes
    this.writing = setTimeout(() => {
      address.write();
      this.summarize();
    }, 250);
  },
  zoom(factor, at = (this.from + this.to) / 2) {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  },
  pan(part) {
    const by = (this.to - this.from) * part;
    const length = this.to - this.from;
    const from = Math.min(Math.max(this.from + by, 0), wholeSpan - length);
    this.show(from, from + length);
  },
  schedule() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  },

  x(time) {
    return this.gutter() + ((time - this.from) / (this.to - this.from)) * (this.width - this.gutter());
  },
  timeAt(x) {
    return this.from + ((x - this.gutter()) / (this.width - this.gutter())) * (this.to - this.from);
  },

  /** What is below each other, from the top. */
  layOut() {
    const sizes = LANE_HEIGHTS;
    const devices = shownTimelines.reduce((sum, run) => sum + run.devices.length, 0);
    const height = devices > 24 ? 14 : devices > 8 ? 24 : sizes.device;
    const rows = [];
    let y = sizes.axis;
    const add = (row) => {
      rows.push({ ...row, y });
      y += row.height;
    };
    for (const run of shownTimelines) {
      if (runs.length > 1) add({ kind: "run", run, height: sizes.run });
      run.devices.forEach((device, place) => {
        const banded = devices <= 8 || place === 0;
        for (let row = 0; row <= LAYER_ROW && banded; ++row) {
          const bands = device.bands.filter((band) => band.row === row);
          if (bands.length > 0) add({ kind: "bands", run, device, place, bands, layers: row === LAYER_ROW, height: sizes.band });
        }
        add({ kind: "lane", run, device, place, lanes: device.lanes, height });
        if (this.streams && device.lanes.length > 1) {
          for (const lane of device.lanes) add({ kind: "lane", run, device, place, lanes: [lane], stream: run.lanes[lane].stream, height: sizes.stream });
        }
        y += sizes.gap;
      });
    }
    this.rows = rows;
    this.height = y;
  },

  /** The width of columns in ns: a power of two, one pixel or more. */
  step(run) {
    const pixel = (this.to - this.from) / Math.max(this.width - this.gutter(), 1);
    let step = run.finest();
    while (step < pixel) step *= 2;
    return step;
  },

  draw() {
    if (!this.box.isConnected) return;
    this.width = Math.max(this.box.clientWidth, 200);
    const shown = [this.from, this.to];
    if (printing.on) [this.from, this.to] = [0, wholeSpan];
    this.layOut();
    const scale = Math.max(devicePixelRatio || 1, 1);
    const { canvas } = this;
    canvas.width = Math.round(this.width * scale);
    canvas.height = Math.round(this.height * scale);
    canvas.style.aspectRatio = `${this.width} / ${this.height}`;
    this.pen = canvas.getContext("2d");
    this.pen.scale(scale, scale);
    this.ink = Object.fromEntries(["text", "faint", "line", "raised", "idle", "card", "accent"].map((name) => [name, ink(name)]));
    const labels = timelineLabels.get();
    for (const run of shownTimelines) {
      run.drawn = run.columns(this.from, Math.min(this.to, run.span), this.step(run), labels.list.length, labels.ofName[run.number]);
    }
    this.drawAxis();
    for (const row of this.rows) {
      if (row.kind === "run") this.text(shortId(runs[row.run.number].run), 0, row.y + 15, this.width, "600 12.5px", this.ink.text);
      else if (row.kind === "bands") this.drawBands(row);
      else this.drawLane(row);
    }
    this.drawCursor();
    this.box.setAttribute(
      "aria-label",
      `Timeline by ${printable(state.by)}: ${exactNs(this.from)} to ${exactNs(this.to)}. Plus and minus zoom, left and right move, up and down choose a row, Enter selects the kernel in the middle.`,
    );
    [this.from, this.to] = shown;
  },

  text(words, x, y, room, font, color) {
    const fits = Math.floor(room / 6.3);
    if (fits < 2) return;
    this.pen.font = `${font} ${FONT}`;
    this.pen.fillStyle = color;
    this.pen.fillText(shortened(words, fits), x, y);
  },

  drawAxis() {
    const length = this.to - this.from;
    const most = Math.max(Math.floor((this.width - this.gutter()) / 110), 2);
    let tick = 10 ** Math.floor(Math.log10(length / most));
    tick *= [1, 2, 5, 10].find((factor) => length / (tick * factor) <= most) || 10;
    tick = Math.max(tick, 1);
    const unit = UNITS.find((one) => Number(one.ns) <= Math.max(tick, this.to / 1000)) || UNITS[3];
    const digits = Math.max(0, Math.ceil(-Math.log10(tick / Number(unit.ns)) - 1e-9));
    const { pen } = this;
    pen.strokeStyle = this.ink.line;
    pen.lineWidth = 1;
    for (let at = Math.ceil(this.from / tick) * tick; at <= this.to; at += tick) {
      const x = Math.round(this.x(at)) + 0.5;
      pen.beginPath();
      pen.moveTo(x, LANE_HEIGHTS.axis - 6);
      pen.lineTo(x, this.height);
      pen.stroke();
      const words = `${withCommas((at / Number(unit.ns)).toFixed(digits))} ${unit.name}`;
      const wide = words.length * 6.3;
      this.text(words, Math.min(x, this.width - wide), 12, 200, "11px", this.ink.faint);
    }
  },

  nameRow(row, words) {
    this.text(words, 0, row.y + row.height / 2 + 4, this.gutter() - 6, "12px", this.ink.faint);
  },

  bandName(row, band) {
    const name = row.layers ? "layer" : band.phase < 0 ? "several phases" : printable(row.run.phases[band.phase]);
    if (band.count > 1) return `${name}${row.layers ? "s" : ""}${band.number >= 0 ? ` ${band.number}, …` : ""} (${grouped(band.count)})`;
    return band.number >= 0 ? `${name} ${band.number}` : name;
  },

  drawBands(row) {
    const { pen } = this;
    this.nameRow(row, row.layers ? "layers" : row.bands[0].row > 0 ? "inner steps" : "steps");
    this.clip(row, () => {
      let covered = -1; // pixels: bands thinner than one are drawn once
      row.bands.forEach((band, at) => {
        if (band.end < this.from || band.start > this.to) return;
        const [left, right] = [this.x(band.start), this.x(band.end)];
        if (right - covered < 1 && right - left < 1) return;
        covered = right;
        const color = row.layers ? this.ink.faint : PHASE_COLORS[Math.max(band.phase, 0) % PHASE_COLORS.length];
        pen.globalAlpha = (at % 2 === 0 ? 0.5 : 0.32) * (row.layers ? 0.7 : 1);
        pen.fillStyle = color;
        pen.fillRect(left, row.y + 1, Math.max(right - left - 0.5, 0.5), row.height - 2);
        pen.globalAlpha = 1;
        const begin = Math.max(left, this.gutter());
        this.text(row.layers && band.count === 1 ? String(band.number) : this.bandName(row, band), begin + 3, row.y + row.height - 4, Math.min(right, this.width) - begin - 5, "10.5px", this.ink.text);
      });
    });
  },

  clip(row, draw) {
    this.pen.save();
    this.pen.beginPath();
    this.pen.rect(this.gutter(), row.y, this.width - this.gutter(), row.height);
    this.pen.clip();
    draw();
    this.pen.restore();
  },

  laneName(row) {
    const narrow = this.gutter() < 100;
    if (row.stream !== undefined) return `${narrow ? "  s" : "   stream "}${row.stream}`;
    return `${narrow ? "dev" : "device"} ${row.device.device}`;
  },

  /** The busy time of a column, and the time of each label. */
  columnOf(row, at) {
    const { drawn } = row.run;
    const times = new Float64Array(drawn.labels);
    for (const lane of row.lanes) {
      for (let label = 0; label < drawn.labels; ++label) times[label] += drawn.sums[lane][at * drawn.labels + label];
    }
    const total = times.reduce((sum, ns) => sum + ns, 0);
    const busy = row.stream === undefined ? drawn.busy[row.place][at] : Math.min(total, drawn.step);
    return { times, total, busy };
  },

  drawLane(row) {
    const { pen } = this;
    const { drawn } = row.run;
    const { list } = timelineLabels.get();
    this.nameRow(row, this.laneName(row));
    const [top, high] = [row.y + 1, row.height - 2];
    this.clip(row, () => {
      pen.fillStyle = this.ink.idle;
      pen.globalAlpha = 0.45;
      pen.fillRect(this.x(0), top, this.x(row.run.span) - this.x(0), high);
      pen.globalAlpha = 1;
      if (this.drawOperations(row, top, high)) return;
      for (let at = 0; at < drawn.count; ++at) {
        const { times, total, busy } = this.columnOf(row, at);
        if (total === 0) continue;
        const left = this.x((drawn.first + at) * drawn.step);
        const wide = this.x((drawn.first + at + 1) * drawn.step) - left;
        const full = (busy / drawn.step) * high;
        let y = top + high;
        times.forEach((ns, label) => {
          const height = (ns / total) * full;
          y -= height;
          if (height === 0 || state.hidden.has(list[label].label)) return;
          pen.fillStyle = list[label].color;
          pen.fillRect(left, y, wide + 0.3, height);
        });
      }
    });
  },

  /** One by one, with their names, if the run has its operations, few are in view, and none overlap. */
  drawOperations(row, top, high) {
    const { run } = row;
    if (!run.exact || row.lanes.length > 1) return false;
    const first = placeOf(run.starts, this.from - run.longest);
    const last = placeOf(run.starts, this.to);
    if (last - first > MOST_RECTANGLES) return false;
    const labels = timelineLabels.get();
    const { pen } = this;
    for (let at = first; at < last; ++at) {
      if (run.laneOf[at] !== row.lanes[0] || run.ends[at] <= this.from) continue;
      const look = labels.list[labels.ofName[run.number][run.nameOf[at]]];
      if (state.hidden.has(look.label)) continue;
      const [left, right] = [this.x(run.starts[at]), this.x(run.ends[at])];
      pen.fillStyle = look.color;
      pen.fillRect(left, top, Math.max(right - left - (right - left > 3 ? 0.6 : 0), 0.4), high);
      const begin = Math.max(left, this.gutter());
      const room = Math.min(right, this.width) - begin - 8;
      if (room > 30) this.text(shownName(kernelRows[run.number][run.nameOf[at]].name), begin + 4, row.y + row.height / 2 + 4, room, "11px", textOn(look.color));
    }
    return true;
  },

  drawCursor() {
    if (!this.box.matches(":focus-visible")) return;
    const lanes = this.lanes();
    const row = lanes[Math.min(this.cursor, lanes.length - 1)];
    if (!row) return;
    const { pen } = this;
    const x = Math.round(this.x((this.from + this.to) / 2)) + 0.5;
    pen.strokeStyle = this.ink.accent;
    pen.lineWidth = 1.5;
    pen.strokeRect(this.gutter() - 1, row.y, this.width - this.gutter(), row.height);
    pen.beginPath();
    pen.moveTo(x, row.y - 4);
    pen.lineTo(x, row.y + row.height + 4);
    pen.stroke();
  },
  lanes() {
    return this.rows.filter((row) => row.kind === "lane");
  },

  /** In words: what the devices in view did. */
  summarize() {
    const { list } = timelineLabels.get();
    const parts = this.lanes()
      .filter((row) => row.stream === undefined)
      .slice(0, 4)
      .map((row) => {
        const { drawn } = row.run;
        const sums = new Float64Array(drawn.labels);
        let [busy, total] = [0, 0];
        for (let at = 0; at < drawn.count; ++at) {
          const column = this.columnOf(row, at);
          column.times.forEach((ns, label) => (sums[label] += ns));
          busy += column.busy;
          total += column.total;
        }
        const most = [...sums].map((ns, label) => ({ ns, label })).filter(({ ns }) => ns > 0).sort((a, b) => b.ns - a.ns).slice(0, 3);
        const time = Math.min(drawn.count * drawn.step, row.run.span);
        const name = `${runs.length > 1 ? `${shortId(runs[row.run.number].run)}, ` : ""}device ${row.device.device}`;
        const words = most.map(({ ns, label }) => `${printable(list[label].label)} ${shareText(ns, total)}`);
        return `${name}: ${time > 0 ? `busy ${shareText(Math.min(busy, time), time)}` : "nothing"}${words.length > 0 ? ` (${words.join(", ")})` : ""}`;
      });
    this.summary.textContent = `${exactNs(this.from)} to ${exactNs(this.to)}, from the first operation of ${runs.length > 1 ? "each run" : "the run"}. ${parts.join(". ")}.`;
  },

  rowAt(y) {
    return this.rows.find((row) => row.kind !== "run" && row.y <= y && y < row.y + row.height);
  },

  /** What is at a point of the picture: {row, band} or {row, from, to, label, names, …}. */
  found(x, y) {
    const row = this.rowAt(y);
    const time = this.timeAt(x);
    if (!row || x < this.gutter() || time < 0 || time >= row.run.span) return null;
    if (row.kind === "bands") {
      const band = row.bands.filter((one) => one.start <= time && time < one.end).pop();
      return band ? { row, band } : null;
    }
    const { drawn } = row.run;
    const at = Math.floor(time / drawn.step) - drawn.first;
    if (at < 0 || at >= drawn.count) return null;
    const column = this.columnOf(row, at);
    const from = (drawn.first + at) * drawn.step;
    const operation = row.lanes.length === 1 ? row.run.operationAt(time, row.lanes) : null;
    const found = { row, from, to: from + drawn.step, ...column, operation, label: null };
    if (operation) return { ...found, label: timelineLabels.get().ofName[row.run.number][operation.name] };
    // Labels are on each other, from the bottom.
    const high = row.height - 2;
    let below = row.y + 1 + high;
    column.times.forEach((ns, label) => {
      const height = column.total > 0 ? ((ns / column.total) * column.busy * high) / drawn.step : 0;
      if (height > 0 && y >= below - height && y < below) found.label = label;
      below -= height;
    });
    return found;
  },

  /** The names of what was found, of its label if it has one; the longest first. */
  namesOf({ row, from, to, label, operation }) {
    if (operation) return { begin: from, end: to, names: [[operation.name, operation.end - operation.start]] };
    const found = row.run.namesIn(from, to, row.lanes);
    const ofName = timelineLabels.get().ofName[row.run.number];
    return label === null ? found : { ...found, names: found.names.filter(([name]) => ofName[name] === label) };
  },

  /** The only name of a label, or the one with the most time in the bins around. */
  nameText(found) {
    const { begin, end, names } = this.namesOf(found);
    if (names.length === 0) return "";
    const [[name, ns]] = names;
    const text = shortened(shownName(kernelRows[found.row.run.number][name].name), 400);
    if (names.length === 1) return text;
    const around = end - begin > found.to - found.from ? ` of the ${exactNs(end - begin)} around` : "";
    return `mostly ${text} (${exactNs(ns)}${around}), ${grouped(names.length)} names`;
  },

  tipOf(found) {
    const { row } = found;
    const place = [runs.length > 1 ? shortId(runs[row.run.number].run) : "", `device ${row.device.device}${row.stream === undefined ? "" : `, stream ${row.stream}`}`].filter(Boolean).join(", ");
    if (found.band) {
      const { band } = found;
      return tip([this.bandName(row, band)], [place], [["Start", exactNs(band.start)], ["From first start to last end", exactNs(band.end - band.start)]]);
    }
    const step = found.to - found.from;
    const look = found.label === null ? null : timelineLabels.get().list[found.label];
    if (found.operation) {
      const { start, end } = found.operation;
      return tip(
        [swatch(look.color), printable(look.label)],
        [this.nameText(found), place],
        [["Start", exactNs(start)], ["Duration", `${exactNs(end - start)} · ${grouped(end - start)} ns`]],
      );
    }
    const time = look ? found.times[found.label] : step - found.busy;
    return tip(
      look ? [swatch(look.color), printable(look.label)] : ["Idle"],
      [look ? this.nameText(found) : "", `${exactNs(found.from)} to ${exactNs(found.to)}, ${place}`],
      [
        [look ? "Time" : "Idle", `${exactNs(time)} · ${grouped(time)} ns`, shareText(time, look ? found.total : step)],
        ["Busy", exactNs(found.busy), shareText(found.busy, step)],
        look && found.total > found.busy ? ["Sum of overlapping operations", exactNs(found.total)] : null,
      ],
    );
  },

  pointAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  },

  placeTip(event) {
    const found = this.found(...this.pointAt(event));
    this.tip.hidden = !found;
    this.box.style.cursor = found ? "pointer" : "";
    if (!found) return;
    this.tip.replaceChildren(this.tipOf(found));
    const { width, height } = this.tip.getBoundingClientRect();
    const below = event.clientY + 18;
    this.tip.style.left = `${Math.max(Math.min(event.clientX + 14, innerWidth - width - 8), 8)}px`;
    this.tip.style.top = `${below + height > innerHeight - 8 ? Math.max(event.clientY - height - 12, 8) : below}px`;
  },

  /** A band fills the view; anything else selects its kernel in the table. */
  choose(found) {
    if (!found) return;
    if (found.band) {
      const { start, end } = found.band;
      return this.show(start - (end - start) * 0.02, end + (end - start) * 0.02);
    }
    const [name] = this.namesOf(found).names;
    if (!name) return;
    const row = kernelRows[found.row.run.number][name[0]];
    update({ label: "", run: "", search: "" });
    kernelTable.mark(kernelTable.found.indexOf(row));
    byId("kernels").scrollIntoView({ behavior: "smooth", block: "start" });
  },

  keys(event) {
    const lanes = this.lanes();
    const does = {
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      ArrowLeft: () => this.pan(-0.2),
      ArrowRight: () => this.pan(0.2),
      PageUp: () => this.pan(-0.9),
      PageDown: () => this.pan(0.9),
      Home: () => this.show(0, this.to - this.from),
      End: () => this.show(wholeSpan - (this.to - this.from), wholeSpan),
      0: () => this.show(0, wholeSpan),
      ArrowUp: () => (this.cursor = Math.max(Math.min(this.cursor, lanes.length - 1) - 1, 0)),
      ArrowDown: () => (this.cursor = Math.min(this.cursor + 1, lanes.length - 1)),
      Enter: () => {
        const row = lanes[Math.min(this.cursor, lanes.length - 1)];
        const at = row && this.found(this.x((this.from + this.to) / 2), row.y + row.height / 2);
        // In the middle of a row may be nothing: then the name with the most time of its column.
        if (at) this.choose({ ...at, label: null });
      },
    }[event.key];
    if (!does || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    does();
    this.schedule();
  },

  wheel(event) {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    const zooms = event.ctrlKey || (document.activeElement === this.box && Math.abs(event.deltaY) > Math.abs(event.deltaX) && !event.shiftKey);
    if (!zooms && sideways === 0) return; // the page scrolls
    event.preventDefault();
    const [x] = this.pointAt(event);
    if (zooms) this.zoom(Math.exp(Math.max(Math.min(event.deltaY, 200), -200) * (event.ctrlKey ? 0.006 : 0.003)), this.timeAt(Math.max(x, this.gutter())));
    else this.pan(sideways / Math.max(this.width - this.gutter(), 1));
  },

  /** One pointer pans, two zoom. */
  setUpPointers() {
    const held = new Map();
    let moved = false;
    const spread = () => {
      const [a, b] = [...held.values()];
      return { middle: (a + b) / 2, wide: Math.max(Math.abs(a - b), 8) };
    };
    this.box.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      held.set(event.pointerId, this.pointAt(event)[0]);
      moved = held.size > 1;
      this.begin = event.clientX;
    });
    this.box.addEventListener("pointermove", (event) => {
      if (!held.has(event.pointerId)) return this.placeTip(event);
      const [x] = this.pointAt(event);
      if (!moved && Math.abs(event.clientX - this.begin) < 4) return;
      if (!moved) this.box.setPointerCapture(event.pointerId);
      moved = true;
      this.tip.hidden = true;
      if (held.size === 1) {
        this.pan((held.get(event.pointerId) - x) / (this.width - this.gutter()));
        held.set(event.pointerId, x);
      } else {
        const before = spread();
        held.set(event.pointerId, x);
        const after = spread();
        this.zoom(before.wide / after.wide, this.timeAt(after.middle));
      }
    });
    const release = (event) => held.delete(event.pointerId);
    this.box.addEventListener("pointerup", release);
    this.box.addEventListener("pointercancel", release);
    this.box.addEventListener("pointerleave", () => (this.tip.hidden = true));
    this.box.addEventListener("click", (event) => {
      if (!moved) this.choose(this.found(...this.pointAt(event)));
      moved = false;
    });
  },

  setUp() {
    this.box.append(this.canvas);
    document.body.append(this.tip);
    this.setUpPointers();
    this.box.addEventListener("keydown", (event) => this.keys(event));
    this.box.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box.addEventListener("focus", () => this.schedule());
    this.box.addEventListener("blur", () => this.schedule());
    new ResizeObserver(() => this.box.clientWidth !== this.width && this.schedule()).observe(this.box);
  },
};

/** How exact the timeline is. */
function timelineNote() {
  const widths = shownTimelines.filter((run) => !run.exact).map((run) => BigInt(run.finest()));
  if (widths.length === 0) return "every operation, to the ns";
  const [least, most] = [widths.reduce((a, b) => (a < b ? a : b)), largestOf(widths)];
  return `finest: ${least === most ? exactTime(least) : `${exactTime(least)} to ${exactTime(most)}`} per bin`;
}

/** Runs and streams that are not drawn. */
function timelineOmissions() {
  const tooMany = runTimelines.filter((run) => !run.exact && run.byName.bins.length === 0);
  const streams = runTimelines.reduce((sum, run) => sum + run.omitted, 0);
  return [
    ...tooMany.map((run) => `${shortId(runs[run.number].run)} has too many distinct names for a timeline by name.`),
    ...(streams > 0 ? [`${grouped(streams)} streams with little time are not shown.`] : []),
  ].map((words) => element("p", { className: "faint hint" }, words));
}

const streamsButton = quietButton("Streams", {
  title: "Show each stream of a device",
  hidden: !shownTimelines.some((run) => run.devices.some(({ lanes }) => lanes.length > 1)),
  "aria-pressed": "false",
  onclick: () => {
    timeline.streams = !timeline.streams;
    streamsButton.setAttribute("aria-pressed", String(timeline.streams));
    timeline.schedule();
  },
});
const timelineCard = card(
  "timeline",
  "Timeline",
  "every operation",
  [
    element(
      "div",
      { className: "actions" },
      streamsButton,
      quietButton("−", { id: "timeline-out", title: "Zoom out", "aria-label": "Zoom out", onclick: () => timeline.zoom(2) }),
      quietButton("+", { id: "timeline-in", title: "Zoom in", "aria-label": "Zoom in", onclick: () => timeline.zoom(0.5) }),
      quietButton("Whole span", { id: "timeline-whole", onclick: () => timeline.show(0, wholeSpan) }),
    ),
  ],
  timeline.box,
  timeline.summary,
  element("p", { className: "faint hint" }, "Drag to move; Ctrl and the wheel, two fingers, or + and − zoom. A click selects the kernel in the table below, or zooms to a step."),
  ...timelineOmissions(),
);
timeline.setUp();
SHOWS.timeline = () => (shownTimelines.length > 0 ? timelineCard : null);

/** Candidates of a catalogue: the table, and for its largest rows their longest place in the timeline. */
SHOWS.candidates = (entry) => {
  const rows = [...rowsOf(entry.table)].sort((a, b) => Number(b.total_ns) - Number(a.total_ns)).slice(0, 8);
  if (rows.length === 0) return null;
  const show = (row) => {
    const [from, to] = [Number(row.example_start_ns), Number(row.example_end_ns)];
    timeline.show(from - (to - from), to + (to - from));
    timelineCard.scrollIntoView({ block: "center" });
  };
  const places = element(
    "div",
    { className: "actions" },
    element("span", { className: "faint" }, "Longest place in the timeline:"),
    ...rows.map((row) => quietButton(row.title || row.label, { title: printable(row.example), onclick: () => show(row) })),
  );
  return SHOWS.table(entry, ...(shownTimelines.length > 0 ? [places] : []));
};

/** The span that the address names. */
function drawTimeline() {
  if (shownTimelines.length === 0) return;
  const given = /^(\d+)-(\d+)$/.exec(state.span);
  let [from, to] = given ? given.slice(1).map(Number) : [0, wholeSpan];
  if (!given || from >= to || from >= wholeSpan) [state.span, from, to] = ["", 0, wholeSpan];
  const length = Math.min(Math.max(to - from, timeline.narrowest()), wholeSpan);
  timeline.from = Math.min(from, wholeSpan - length);
  timeline.to = timeline.from + length;
  timelineCard.querySelector(".card-head .faint").textContent = timelineNote();
  timeline.draw();
  timeline.summarize();
}
