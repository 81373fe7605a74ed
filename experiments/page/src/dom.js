// Elements without markup: text always goes in as text.
import {say} from "./text.js";

/// make("td.number", "12"): tag and classes, then text, elements or lists of them.
export function make(what, ...children) {
  const [tag, ...classes] = what.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  return add(node, children);
}

export function add(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    if (child instanceof Node) node.append(child);
    else say(node, child);
  }
  return node;
}

export function button(text, onClick, kind = "button.link") {
  const node = make(kind, text);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

/// A labelled list of choices: [[value, text], ...].
export function choice(label, options, value, onChange) {
  const select = document.createElement("select");
  for (const [key, text] of options) {
    const option = make("option", text);
    option.value = key;
    select.append(option);
  }
  select.value = value;
  select.addEventListener("change", () => onChange(select.value));
  const node = make("label.control", make("span", label), select);
  node.select = select;
  return node;
}

/// head: [text, kind] with kind "" | "number"; rows: lists of cells, each text, element or list.
export function table(head, rows, caption) {
  const kinds = head.map(([, kind]) => (kind ? `.${kind}` : ""));
  const line = (cells, tag) => make("tr", cells.map((cell, i) => make(tag + kinds[i], cell)));
  const node = make("table", make("thead", line(head.map(([text]) => text), "th")),
    make("tbody", rows.map((row) => line(row, "td"))));
  if (caption) node.prepend(make("caption", caption));
  const box = make("div.scroll", node);
  box.tabIndex = 0;  // so that the keyboard scrolls it
  return box;
}

export function details(summary, ...children) {
  return make("details", make("summary", summary), children);
}

/// Details whose contents `build()` makes when they are first opened.
export function lazyDetails(summary, build) {
  const node = details(summary);
  node.addEventListener("toggle", () => { if (node.open && node.children.length < 2) node.append(build()); });
  return node;
}

/// A section of the page with its heading and one line of explanation.
export function section(id, title, lead) {
  const node = make("section", make("h2", title), lead ? make("p.lead", lead) : "");
  node.id = id;
  return node;
}

/// An element of SVG.
export function shape(name, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}
