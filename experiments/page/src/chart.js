// Figures: ECharts with the page's colours, drawn when they come into view.
import {BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart} from "echarts/charts";
import {GridComponent, LegendComponent, TooltipComponent, VisualMapContinuousComponent} from "echarts/components";
import {init, use} from "echarts/core";
import {LabelLayout} from "echarts/features";
import {CanvasRenderer} from "echarts/renderers";
import {button, make} from "./dom.js";
import {tick} from "./format.js";

use([BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart, GridComponent, LegendComponent, TooltipComponent,
  VisualMapContinuousComponent, CanvasRenderer, LabelLayout]);

// Okabe and Ito's palette, readable with any colour vision; the yellow only after the others.
export const SERIES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#7A7A7A", "#B8A200"];
export const VIRIDIS = ["#440154", "#482878", "#3e4989", "#31688e", "#26828e", "#1f9e89", "#35b779", "#6ece58", "#b5de2b", "#fde725"];

const dark = matchMedia("(prefers-color-scheme: dark)");
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const inks = () => ({
  text: colour("--text"), muted: colour("--muted"), rule: colour("--rule"), faint: colour("--faint"), dot: colour("--dot"),
  back: colour("--back"), accent: colour("--accent"), empty: colour("--empty"),
});

const FONT = "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

/// An axis in the page's style; `more` overrides.
export function axis(kind, name, more = {}) {
  const ink = inks(), vertical = kind === "y";
  return {
    name, nameLocation: "middle", nameGap: more.nameGap ?? (vertical ? 46 : 30),
    nameTextStyle: {color: ink.muted, fontSize: 12}, axisLine: {show: true, lineStyle: {color: ink.muted}},
    axisTick: {show: true, lineStyle: {color: ink.muted}, length: 4}, axisLabel: {color: ink.text, fontSize: 11.5, hideOverlap: true, ...(more.type === "category" ? {} : {formatter: tick})},
    splitLine: {show: vertical, lineStyle: {color: ink.rule, width: 1}}, ...more,
  };
}

export const tooltip = (formatter, more = {}) => {
  const ink = inks();
  return {
    confine: true, transitionDuration: 0, backgroundColor: ink.back, borderColor: ink.rule, borderWidth: 1, padding: [6, 9],
    textStyle: {color: ink.text, fontSize: 12, fontFamily: FONT}, formatter, ...more,
  };
};

/// Lines of a tooltip: the first one is its title.
export function tip(...lines) {
  const kept = lines.filter((line) => line !== null && line !== undefined && line !== "");
  return make("div.tip", kept.map((line, i) => make(i === 0 ? "strong" : "span", line)));
}

const waiting = new Map();
const inView = new IntersectionObserver((entries) => {
  for (const entry of entries) if (entry.isIntersecting) waiting.get(entry.target)?.();
}, {rootMargin: "300px"});
const all = new Set();

/// A figure of `height` pixels below a heading. `option()` gives what ECharts draws and is asked again
/// by update() and when the colours of the system change.
export function figure(name, height, option) {
  const box = make("div.chart");
  box.style.height = `${height}px`;
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", name);
  const listeners = [];
  const handle = {
    box, chart: null, picture: null,
    update() {
      if (!handle.chart) return;
      handle.chart.setOption({animation: false, textStyle: {fontFamily: FONT}, aria: {enabled: false}, ...option()}, {notMerge: true});
    },
    on(...listener) {
      listeners.push(listener);
      if (handle.chart) handle.chart.on(...listener);
    },
    draw() {
      if (handle.chart || !box.isConnected) return;
      inView.unobserve(box);
      waiting.delete(box);
      handle.chart = init(box, null, {renderer: "canvas"});
      handle.update();
      for (const listener of listeners) handle.chart.on(...listener);
    },
    resize(pixels) {
      if (pixels) box.style.height = `${pixels}px`;
      if (handle.chart) handle.chart.resize();
    },
    forget() {
      inView.unobserve(box);
      waiting.delete(box);
      all.delete(handle);
      if (handle.chart) handle.chart.dispose();
    },
    /// On paper a figure is a picture: a printer neither draws it again nor lays its canvases over each other.
    toPaper() {
      handle.draw();
      if (!handle.chart) return;
      handle.picture?.remove();
      box.append(handle.picture = handle.chart.renderToCanvas({pixelRatio: 2, backgroundColor: "#fff"}));
      handle.picture.removeAttribute("style");  // it would lie over the page
    },
    /// For programs that look at the page: where a data point stands in the box.
    pixel: (finder, value) => handle.chart.convertToPixel(finder, value),
  };
  box.figure = handle;
  waiting.set(box, handle.draw);
  inView.observe(box);
  all.add(handle);
  return handle;
}

/// A figure with its heading, and a link that saves it.
export function framed(title, handle, ...controls) {
  const save = button("PNG", () => {
    handle.draw();
    const link = make("a");
    link.href = handle.chart.getDataURL({pixelRatio: 3, backgroundColor: inks().back});
    link.download = `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.png`;
    link.click();
  }, "button.save");
  save.title = "Save this figure";
  return make("figure", make("figcaption", make("h3", title), make("span.controls", controls), save), handle.box);
}

export function drawAll() { for (const handle of all) handle.draw(); }

const paper = matchMedia("print");
addEventListener("resize", () => { if (!paper.matches) for (const handle of all) handle.resize(); });
dark.addEventListener("change", () => { for (const handle of all) handle.update(); });
addEventListener("beforeprint", () => { for (const handle of all) handle.toPaper(); });
