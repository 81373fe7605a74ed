// Bundles the page and writes it as a C++ source: node build.mjs MODULES OUT.cpp
// MODULES is the folder with node_modules, which lies in the build folder and not beside this file.
import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";

const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const {build} = createRequire(join(modules, "package.json"))("esbuild");
const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, entry)], bundle: true, minify: true, write: false, nodePaths: [join(modules, "node_modules")], format: "iife", charset: "utf8",
    target: ["chrome109", "firefox115", "safari16"], legalComments: "none", logLevel: "warning",
    define: {"process.env.NODE_ENV": '"production"'},
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;

/// As a C++ literal; compilers take raw strings of any length, but not their own end inside.
function literal(text) {
  if (text.includes(')page"')) throw new Error("the page holds the end of a raw string");
  return `R"page(${text})page"`;
}

const script = await bundle("src/main.js");
const style = await bundle("page.css");
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
const put = {policy, style, script};
const page = readFileSync(join(here, "page.html"), "utf8").trim()
  .replace(/\{\{(policy|style|script)\}\}/g, (_, name) => put[name]) + "\n";
const parts = page.split("{{data}}");
if (parts.length !== 2) throw new Error("the page has one place for its data");
writeFileSync(out, `// Written by experiments/page/build.mjs.
#include "experiments/page/page.hpp"

namespace ke {

PageTemplate page_template() {
  return {${literal(parts[0])}, ${literal(parts[1])}};
}

}  // namespace ke
`);
console.log(`page: script ${(script.length / 1000).toFixed(0)} kB, style ${(style.length / 1000).toFixed(0)} kB`);
