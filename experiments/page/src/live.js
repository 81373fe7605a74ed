// A page that is served while its runs go on: it asks for the data anew whenever they have changed.
import {make} from "./dom.js";

const idle = () => !document.querySelector("dialog[open]");

const candidates = (data) => data.runs.reduce((sum, run) => sum + (run.candidates?.step.length ?? 0), 0);

/// Calls `draw(data)` after each change that the server tells, not while a kernel's window is open.
export function follow(data, draw) {
  const badge = make("p.live", "live"), query = location.search;
  document.body.prepend(badge);
  let asked = false, late = false;
  const say = (text) => { badge.textContent = text; };
  badge.dataset.candidates = candidates(data);  // for programs that look at the page
  async function renew() {
    if (asked || !idle()) { late = true; return; }
    asked = true;
    late = false;
    try {
      const reply = await fetch(`data${query}`);
      if (!reply.ok) throw new Error(await reply.text());
      const now = await reply.json(), place = scrollY;
      draw(now);
      scrollTo(0, place);
      badge.dataset.candidates = candidates(now);
      say(`live, as of ${new Date().toLocaleTimeString()}`);
    } catch (error) {
      say(`live, but the last change could not be read: ${error.message}`);
    }
    asked = false;
  }
  const events = new EventSource(`events${query}`);
  events.addEventListener("change", renew);
  events.addEventListener("open", () => say("live"));
  events.addEventListener("error", () => say("not live: kernelevolve watch does not answer"));
  setInterval(() => { if (late) renew(); }, 300);
}
