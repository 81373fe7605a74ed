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

/// What changed from `before` to `after`, with three lines around each change.
export function difference(before, after) {
  if (before === after) return make("p.note", "No difference.");
  const patch = structuredPatch("", "", before, after, "", "", {context: 3, timeout: 2000});
  if (!patch) return make("p.note", "These texts are too different to be compared line by line.");
  const rows = [];
  for (const hunk of patch.hunks) {
    rows.push([".hunk", null, `@@ ${hunk.oldStart} → ${hunk.newStart} @@`]);
    let at = hunk.newStart;
    for (const one of hunk.lines) {
      const kind = one[0] === "+" ? ".added" : one[0] === "-" ? ".removed" : one[0] === "\\" ? ".hunk" : "";
      rows.push([kind, kind === ".removed" || kind === ".hunk" ? null : at++, one]);
    }
  }
  return listing("diff", rows);
}
