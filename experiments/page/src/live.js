// A page that is served while its runs go on: it asks for the data anew whenever they have changed.
import {make} from "./dom.js";
import {figure, integer} from "./format.js";
import {Run} from "./run.js";

const idle = () => !document.querySelector("dialog[open]");

const candidates = (data) => data.runs.reduce((sum, run) => sum + run.summary.proposals, 0);

/// What the runs wait for, and what they have cost.
function state(data) {
  const letters = data.live.letters.map((one) => `waits for ${integer(one.letters)} ${one.letters > 1 ? "letters" : "letter"} in ${one.folder}`);
  const running = data.runs.filter((run) => run.summary.state === "running").length;
  const sum = (of) => data.runs.reduce((all, run) => all + (Number(of(run)) || 0), 0), limit = (key) => sum((run) => new Run(run).config(key));
  const dollars = sum((run) => run.summary.bill?.dollars), most = limit("llm.budget.dollars");
  const going = data.runs.length > 1 ? `${integer(running)} of ${integer(data.runs.length)} running` : data.runs[0].summary.state;
  return [going, `${integer(sum((run) => run.summary.evaluations))} of at most ${integer(limit("budget.evaluations"))} evaluations`,
    dollars > 0 ? `${figure(dollars, 3)} dollars so far${most ? ` of at most ${figure(most, 3)}` : ""}` : "", ...letters].filter(Boolean).join(" · ");
}

/// Calls `draw(data)` after each change that the server tells, not while a kernel's window is open.
export function follow(data, draw) {
  const badge = make("p.live", `live · ${state(data)}`), query = location.search;
  document.body.prepend(badge);
  let asked = false, late = false;
  const say = (text) => { badge.textContent = text; };
  badge.setAttribute("role", "status");
  badge.dataset.candidates = candidates(data);  // for programs that look at the page
  async function renew() {
    if (asked || !idle()) { late = true; return; }
    asked = true;
    late = false;
    try {
      const reply = await fetch(`data${query}`);
      if (!reply.ok) throw new Error(await reply.text());
      const now = await reply.json(), place = scrollY;
      await draw(now);
      scrollTo(0, place);
      badge.dataset.candidates = candidates(now);
      say(`live, ${new Date().toLocaleTimeString()} · ${state(now)}`);
    } catch (error) {
      say(`live, but the last change could not be read: ${error.message}`);
    }
    asked = false;
  }
  const events = new EventSource(`events${query}`);
  events.addEventListener("change", renew);
  events.addEventListener("error", () => say("not live: kernelevolve watch does not answer"));
  setInterval(() => { if (late) renew(); }, 300);
}
