// The page: its data, and the panels that the data has something for.
import {drawAll} from "./chart.js";
import {add, choice, make} from "./dom.js";
import {openKernel} from "./kernel.js";
import {follow} from "./live.js";
import {archive} from "./panels/archive.js";
import {arms} from "./panels/arms.js";
import {axes} from "./panels/axes.js";
import {islands} from "./panels/islands.js";
import {lineage} from "./panels/lineage.js";
import {failures, operators} from "./panels/operators.js";
import {progress} from "./panels/progress.js";
import {result} from "./panels/result.js";
import {roofline} from "./panels/roofline.js";
import {noise, provenance, time} from "./panels/time.js";
import {Run} from "./run.js";
import {visible} from "./text.js";

const PANELS = [result, archive, axes, progress, lineage, operators, failures, islands, roofline, time, noise, provenance];

function contents(node, sections) {
  add(node, sections.map((one) => {
    const link = make("a", one.querySelector("h2").textContent);
    link.href = `#${one.id}`;
    return link;
  }));
}

function title(data) {
  const tasks = [...new Set(data.runs.map((run) => run.summary.task))];
  return data.runs.length === 1 ? `${tasks[0]}: ${data.runs[0].summary.run_id}` : `${data.runs.length} runs of ${tasks.slice(0, 3).join(", ")}${tasks.length > 3 ? ", …" : ""}`;
}

/// Draws the panels of one run below whatever stands above them.
function show(run, place) {
  if (place.children.length) for (const box of place.querySelectorAll(".chart")) box.figure.forget();
  const sections = PANELS.map((panel) => panel(run, openKernel)).filter(Boolean);
  if (!run.count && run.raw.candidates === undefined) sections.unshift(make("p.note", "The kernels of this run are left out, or the page would be too large; make a report of this run alone."));
  place.replaceChildren(...sections);
}

/// Draws the whole page; again when the data has changed, with the same run on show.
function draw(data) {
  const began = performance.now();
  const runs = data.runs.map((raw) => new Run(raw, data.arms?.of[raw.summary.file]));
  const page = document.getElementById("page"), place = make("div"), nav = make("nav.contents");
  const shown = Math.max(0, runs.findIndex((run) => run.summary.run_id === page.dataset.run));
  for (const box of page.querySelectorAll(".chart")) box.figure.forget();
  document.title = `${visible(title(data))} – KernelEvolve`;
  const head = make("header.page", make("p.brand", `KernelEvolve ${data.version}`), make("h1", title(data)));
  page.replaceChildren(head, nav);
  let picker = null;
  const select = (i) => {
    show(runs[i], place);
    page.dataset.run = runs[i].summary.run_id;
    if (picker) { picker.select.value = String(i); picker.scrollIntoView(); }
  };
  if (runs.length > 1) {
    page.append(arms(data, runs, select));
    picker = choice("Run", runs.map((run, i) => [String(i), run.summary.run_id]), String(shown), (i) => select(Number(i)));
    picker.classList.add("run");
    page.append(picker);
  }
  page.append(place);
  show(runs[shown], place);
  contents(nav, [...page.querySelectorAll("section")]);
  page.dataset.ready = String(Math.round(performance.now() - began));
  page.drawAll = drawAll;  // for programs that look at the page
}

const data = JSON.parse(document.getElementById("data").textContent);
draw(data);
if (data.live) follow(data, draw);
