// The chart of a page: stacked bars, with buttons that show and hide their parts.

const MOST_SEPARATED = 60; // bars
/** Lines that leave a text on the colour readable. */
const hatchOn = (color) => ({
  symbol: "rect",
  dashArrayX: [1, 0],
  dashArrayY: [2, 5],
  rotation: -0.785,
  color: luminance(color) > 0.5 ? "rgba(0,0,0,0.2)" : textOn(color) === "#000000" ? "rgba(255,255,255,0.4)" : "rgba(0,0,0,0.4)",
});

/** It follows its size and the theme. `state.hidden` has the keys of hidden parts. */
const chart = {
  box: element("div", { className: "chart", role: "img" }),
  legend: element("div", { className: "legend", role: "group" }),
  showAll: quietButton("Show all", { id: "show-all", hidden: true, onclick: () => update({ hidden: new Set() }) }),
  drawing: null, // of ECharts

  /**
   * `id`: of the box; `legend`: a name for the buttons; `renderer`: `svg` can be saved; `begun(drawing)`.
   * `describe(zoom)` says what is drawn each time:
   *   parts: `{key, name, title, color, share, hatched}`, and `series`, members of ECharts
   *   bars, valueOf(part, at): the names of the bars, and the length of a part of one
   *   lying: the bars lie; names, values: members of the axes; ends: a label where a bar ends
   *   also: more series; all else is a member of ECharts' option
   */
  setUp({ id, legend, renderer = "canvas", describe, begun = () => {} }) {
    this.box.id = id;
    this.legend.setAttribute("aria-label", legend);
    Object.assign(this, { renderer, describe, begun });
  },

  begin() {
    this.drawing = echarts.init(this.box, null, { renderer: this.renderer });
    let width = this.box.clientWidth;
    new ResizeObserver(() => {
      if (this.box.clientWidth === width || !this.box.isConnected) return;
      width = this.box.clientWidth;
      this.draw(true);
    }).observe(this.box);
    this.begun(this.drawing);
  },

  /** The box has a width only while it is in the page. */
  draw(keepZoom = false) {
    if (!this.box.isConnected) return;
    if (this.drawing === null) this.begin();
    const [before] = (keepZoom && this.drawing.getOption()?.dataZoom) || [];
    const zoom = before ? { start: before.start, end: before.end } : undefined;
    const { parts, bars, valueOf, lying, names, values, ends, also = [], ...more } = this.describe(zoom);
    // A line separates neighbours, unless bars are too thin for one.
    const line = { borderColor: ink("card"), borderWidth: bars.length > MOST_SEPARATED ? 0 : 1 };
    const stacked = (name, style, valueAt, members) => ({
      type: "bar",
      name,
      stack: "all",
      itemStyle: style,
      emphasis: { disabled: true },
      data: bars.map((_, at) => valueAt(at)),
      ...members,
    });
    const shown = parts.filter(({ key }) => !state.hidden.has(key));
    hatchesOf(shown.map(({ color }) => color)).forEach((hatched, at) => (shown[at].hatched ||= hatched));
    const styleOf = ({ color, hatched }) => ({ color, ...line, decal: hatched ? hatchOn(color) : undefined });
    const series = shown.map((part) => stacked(part.key, styleOf(part), (at) => valueOf(part, at), part.series));
    if (ends) series.push(stacked("", { color: "transparent" }, () => 0, { id: "ends", silent: true, label: ends }));
    const nameAxis = { type: "category", data: bars, axisTick: { show: false }, ...names };
    const axes = lying ? { xAxis: valueAxis(values), yAxis: nameAxis } : { xAxis: nameAxis, yAxis: valueAxis(values) };
    this.drawing.setOption(
      { animation: false, textStyle: { fontFamily: FONT, color: ink("text") }, ...axes, series: [...series, ...also], ...more },
      { notMerge: true },
    );
    this.drawing.resize();
    this.drawLegend(parts);
    this.showAll.hidden = shown.length === parts.length;
  },

  /** A click: on or off. With shift: only this one, and all again. */
  drawLegend(parts) {
    const { legend } = this;
    const { hidden } = state;
    const focused = legend.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const toggled = (key, only) => {
      const next = new Set(hidden);
      if (only) {
        const isOnly = parts.every((one) => hidden.has(one.key) === (one.key !== key));
        return new Set(isOnly ? [] : parts.map((one) => one.key).filter((one) => one !== key));
      }
      if (!next.delete(key)) next.add(key);
      return next;
    };
    legend.replaceChildren(
      ...parts.map((part) => {
        const button = element(
          "button",
          {
            type: "button",
            className: "chip",
            "aria-pressed": String(!hidden.has(part.key)),
            title: `${part.title}. Click: show or hide; Shift+click: show only this one`,
            onclick: (event) => update({ hidden: toggled(part.key, event.shiftKey) }),
          },
          swatch(part.color, part.hatched ? "swatch hatched" : "swatch"),
          element("span", { className: "chip-name" }, shortened(part.name, 60)),
          part.share ? element("span", { className: "chip-share" }, part.share) : null,
        );
        button.dataset.key = part.key;
        return button;
      }),
    );
    if (focused !== null) [...legend.children].find((one) => one.dataset.key === focused)?.focus();
  },
};

/** The look of tooltips, which contain elements of the page. */
function tooltipLook(formatter) {
  return {
    trigger: "item",
    confine: true,
    backgroundColor: ink("card"),
    borderColor: ink("line"),
    textStyle: { color: ink("text"), fontFamily: FONT },
    extraCssText: "box-shadow: 0 6px 24px rgb(0 0 0 / 20%); border-radius: 8px; padding: 10px 12px;",
    formatter,
  };
}

/** A heading, lines below it, and a table of `[name, values…]`; nulls are left out. */
function tip(heading, lines, rows) {
  return element(
    "div",
    { className: "tip" },
    element("p", { className: "tip-head" }, ...heading),
    ...lines.filter(Boolean).map((line) => element("p", { className: "tip-line" }, line)),
    element(
      "table",
      {},
      element(
        "tbody",
        {},
        ...rows.filter(Boolean).map(([name, ...values]) =>
          element("tr", {}, element("th", {}, ...[name].flat()), ...values.map((value) => element("td", {}, value))),
        ),
      ),
    ),
  );
}

function valueAxis(options) {
  return {
    type: "value",
    nameTextStyle: { color: ink("faint"), align: "right" },
    axisLabel: { color: ink("faint"), formatter: (value) => value.toLocaleString("en-US") },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: ink("line") } },
    ...options,
  };
}

/** A slider below the chart, and the wheel with Ctrl. */
function zoomBars(zoom) {
  return [
    { type: "slider", ...zoom, height: 20, bottom: 8, brushSelect: false, borderColor: ink("line"), textStyle: { color: ink("faint") }, showDetail: false },
    { type: "inside", ...zoom, zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, moveOnMouseMove: false },
  ];
}
