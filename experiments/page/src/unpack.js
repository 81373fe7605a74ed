// Runs that the page holds packed, or that a server has: unpacked when they are looked at.
import {Run} from "./run.js";

async function unpack(base64) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}

async function served(number) {
  const reply = await fetch(`run${location.search}&number=${number}`);
  if (!reply.ok) throw new Error(await reply.text());
  return reply.text();
}

const parsed = new Promise((done) => { if (document.readyState === "loading") addEventListener("DOMContentLoaded", done); else done(); });

async function held(number) {
  await parsed;
  return document.querySelectorAll("script.run")[number].textContent;
}

/// The whole run at a place of the index.
export async function wholeRun(index, number) {
  const text = await (index.live ? served(number) : held(number));
  return new Run(await unpack(text), index.arms?.of[index.runs[number].summary.file]);
}
