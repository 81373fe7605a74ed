// Foreign text (sources, messages, names) as it may be shown: never as markup, and with what could
// mislead a reader written out.

// Controls but tab and line end; marks that reorder, join or hide; lone surrogates; tags.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;

const code = (mark) => `\\u{${mark.codePointAt(0).toString(16).toUpperCase()}}`;

/// For places that take a string only: labels of charts, titles.
export const visible = (text) => String(text).replace(HIDDEN, code);

/// Appends `text` to `node`; what was hidden stands in elements of its own.
export function say(node, text) {
  const whole = String(text);
  let from = 0;
  for (const found of whole.matchAll(HIDDEN)) {
    if (found.index > from) node.append(whole.slice(from, found.index));
    const mark = document.createElement("span");
    mark.className = "escape";
    mark.textContent = code(found[0]);
    node.append(mark);
    from = found.index + found[0].length;
  }
  node.append(from === 0 ? whole : whole.slice(from));
  return node;
}
