// Sources and their differences, as lines of text.
import {structuredPatch} from "diff";
import {button, make} from "./dom.js";
import {integer} from "./format.js";
import {say} from "./text.js";

const LONGEST = 2000;  // characters of a line that are shown at once
const MOST_LINES = 5000;

/// The text of one line; a very long one is cut until it is asked for.
function fill(node, text) {
  if (text.length <= LONGEST) return say(node, text);
  say(node, text.slice(0, LONGEST));
  const more = button(`… ${integer(text.length - LONGEST)} more characters`, () => {
    more.remove();
    say(node, text.slice(LONGEST));
  }, "button.more");
  node.append(more);
  return node;
}

const line = (kind, number, text) => make(`div.line${kind}`, make("span.at", number === null ? "" : String(number)), fill(make("code"), text));

function listing(kind, rows) {
  const box = make(`div.code.${kind}`);
  box.tabIndex = 0;
  const show = (from) => {
    box.append(...rows.slice(from, from + MOST_LINES).map((row) => line(...row)));
    const left = rows.length - from - MOST_LINES;
    if (left <= 0) return;
    const more = button(`${integer(left)} more lines`, () => { more.remove(); show(from + MOST_LINES); }, "button.more");
    box.append(more);
  };
  show(0);
  return box;
}

export function source(text) {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return listing("source", lines.map((one, i) => ["", i + 1, one]));
}

const half = (kind, number, text) => (text === null ? make("div.line.none") : line(kind, number, text));

/// Lines of a hunk in pairs: [kind, number, text] before and after.
function pairs(hunk) {
  const rows = [], removed = [], added = [];
  let before = hunk.oldStart, after = hunk.newStart;
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) rows.push([removed[i] ?? ["", null, null], added[i] ?? ["", null, null]]);
    removed.length = added.length = 0;
  };
  for (const one of hunk.lines) {
    const text = one.slice(1);
    if (one[0] === "-") removed.push([".removed", before++, text]);
    else if (one[0] === "+") added.push([".added", after++, text]);
    else if (one[0] === " ") { flush(); rows.push([["", before++, text], [".same", after++, text]]); }
  }
  flush();
  return rows;
}

/// What changed from `before` to `after`, beside each other, with three lines around each change.
export function difference(before, after) {
  if (before === after) return make("p.note", "No difference.");
  const patch = structuredPatch("", "", before, after, "", "", {context: 3, timeout: 2000});
  if (!patch) return make("p.note", "These texts are too different to be compared line by line.");
  const box = make("div.code.diff");
  box.tabIndex = 0;
  for (const hunk of patch.hunks) {
    box.append(make("div.hunk", `lines ${hunk.oldStart} → ${hunk.newStart}`));
    for (const [left, right] of pairs(hunk)) box.append(half(...left), half(...right));
  }
  return box;
}
