// Charts: what all of them share. A chart follows its size and the theme.

class Chart {
  /** Those that are in the page. */
  static all = [];

  /** `option(zoom)` is called each time the chart is drawn; `renderer`: `svg` can be saved. */
  constructor(box, option, renderer = "canvas") {
    Chart.all = Chart.all.filter((chart) => chart.box.isConnected || chart.dispose());
    Chart.all.push(this);
    this.box = box;
    this.option = option;
    this.drawing = echarts.init(box, null, { renderer });
    let width = box.clientWidth;
    this.observer = new ResizeObserver(() => {
      if (box.clientWidth === width || !box.isConnected) return;
      width = box.clientWidth;
      this.draw(true);
    });
    this.observer.observe(box);
  }

  draw(keepZoom = false) {
    const [before] = (keepZoom && this.drawing.getOption()?.dataZoom) || [];
    const zoom = before ? { start: before.start, end: before.end } : undefined;
    this.drawing.setOption(
      { animation: false, textStyle: { fontFamily: FONT, color: ink("text") }, ...this.option(zoom) },
      { notMerge: true },
    );
    this.drawing.resize();
  }

  dispose() {
    this.observer.disconnect();
    this.drawing.dispose();
    return false;
  }
}

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

/** One bar on top of the other, or beside it. */
function stackedSeries(name, color, data, more = {}) {
  return { type: "bar", name, stack: "all", itemStyle: { color }, emphasis: { disabled: true }, data, ...more };
}

/**
 * Buttons that show and hide parts of a chart: `{key, name, title, color, share, hatched}`. Click: on or
 * off. With shift: only this one, and all again. `choose` gets the keys that are hidden.
 */
function drawLegend(legend, items, hidden, choose) {
  const focused = legend.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const toggled = (key, only) => {
    const next = new Set(hidden);
    if (only) {
      const isOnly = items.every((one) => hidden.has(one.key) === (one.key !== key));
      return new Set(isOnly ? [] : items.map((one) => one.key).filter((one) => one !== key));
    }
    if (!next.delete(key)) next.add(key);
    return next;
  };
  legend.replaceChildren(
    ...items.map((item) => {
      const button = element(
        "button",
        {
          type: "button",
          className: "chip",
          "aria-pressed": String(!hidden.has(item.key)),
          title: `${item.title}. Click: show or hide; Shift+click: show only this one`,
          onclick: (event) => choose(toggled(item.key, event.shiftKey)),
        },
        swatch(item.color, item.hatched ? "swatch hatched" : "swatch"),
        element("span", { className: "chip-name" }, shortened(item.name, 60)),
        item.share ? element("span", { className: "chip-share" }, item.share) : null,
      );
      button.dataset.key = item.key;
      return button;
    }),
  );
  if (focused !== null) [...legend.children].find((one) => one.dataset.key === focused)?.focus();
}

const legendBox = (label) => element("div", { className: "legend", role: "group", "aria-label": label });
