// The page: an index of its runs, and the panels that the run on show has something for.
import {drawAll} from "./chart.js";
import {add, make} from "./dom.js";
import {openKernel} from "./kernel.js";
import {follow} from "./live.js";
import {archive} from "./panels/archive.js";
import {arms} from "./panels/arms.js";
import {axes} from "./panels/axes.js";
import {islands} from "./panels/islands.js";
import {knobs} from "./panels/knobs.js";
import {lineage} from "./panels/lineage.js";
import {failures, operators} from "./panels/operators.js";
import {progress} from "./panels/progress.js";
import {result} from "./panels/result.js";
import {roofline} from "./panels/roofline.js";
import {noise, provenance, time} from "./panels/time.js";
import {Run} from "./run.js";
import {visible} from "./text.js";
import {wholeRun} from "./unpack.js";

const PANELS = [result, lineage, archive, failures, operators, knobs, roofline, progress, axes, islands, time, noise, provenance];

function contents(nav, page) {
  nav.replaceChildren();
  add(nav, [...page.querySelectorAll("section")].map((one) => {
    const link = make("a", one.querySelector("h2").textContent);
    link.href = `#${one.id}`;
    return link;
  }));
}

function title(data) {
  const tasks = [...new Set(data.runs.map((run) => run.summary.task))];
  return data.runs.length === 1 ? tasks[0] : `${data.runs.length} runs of ${tasks.slice(0, 3).join(", ")}${tasks.length > 3 ? ` and ${tasks.length - 3} more tasks` : ""}`;
}

function forget(place) {
  for (const box of place.querySelectorAll(".chart")) box.figure.forget();
}

/// Draws the panels of one run below whatever stands above them.
function show(run, place, several) {
  const sections = PANELS.map((panel) => panel(run, openKernel)).filter(Boolean);
  if (!run.count && run.raw.candidates === undefined) sections.unshift(make("p.note", "The kernels of this run are left out, or the page would be too large; make a report of this run alone."));
  forget(place);
  place.replaceChildren(several ? make("h2.run", run.summary.run_id) : "", ...sections);
}

/// Draws the whole page; again when the data has changed, with the same run on show.
async function draw(data) {
  const began = performance.now();
  const page = document.getElementById("page"), several = data.runs.length > 1;
  const number = several ? data.runs.findIndex((run) => run.summary.run_id === page.dataset.run) : 0;
  const shown = number < 0 ? null : await wholeRun(data, number);
  const place = make("div.one"), nav = make("nav.contents");
  nav.setAttribute("aria-label", "Sections");
  document.title = `${visible(title(data))} – KernelEvolve`;
  const select = async (i) => {
    show(await wholeRun(data, i), place, several);
    page.dataset.run = data.runs[i].summary.run_id;
    contents(nav, page);
    place.scrollIntoView();
  };
  forget(page);
  const head = make("header.page", make("p.brand", several ? "" : `${data.runs[0].summary.run_id} · `, `KernelEvolve ${data.version}`), make("h1", title(data)));
  page.replaceChildren(head, nav);
  if (several) page.append(arms(data, data.runs.map((raw) => new Run(raw, data.arms.of[raw.summary.file])), select));
  page.append(place);
  if (shown) show(shown, place, several);
  contents(nav, page);
  page.dataset.ready = String(Math.round(performance.now() - began));
  page.drawAll = drawAll;  // for programs that look at the page
}

const data = JSON.parse(document.getElementById("data").textContent);
draw(data).then(() => { if (data.live) follow(data, draw); });
