// Serves the APIs of several providers on loopback: node server.mjs FAULTS. Prints its port, then one line of JSON for
// each reply that it makes. Every reply is the parent of the request with its next knob fixed, long enough for many
// pieces of a stream. FAULTS is the share of requests that each kind of fault hits.
import {LLMock} from "@copilotkit/aimock";

const rate = Number(process.argv[2]);
const knob = /^\/\/ @knob \w+ int \{.*$/gm;
let replies = 0;

function reply(request) {
  const asked = request.messages.map(({content}) => (typeof content === "string" ? content : JSON.stringify(content))).join("\n");
  const lines = asked.split("## Parent")[1].split("```")[1].match(knob);
  const line = lines[replies % lines.length];
  const content = `Faster by ≥ 2 × – “café” 😀\n<<<<<<< SEARCH\n${line}\n=======\n${line.replace(/\{.*/, `{${replies % 33}} = ${replies % 33}`)}\n>>>>>>> REPLACE\n`;
  replies += 1;
  console.log(JSON.stringify({model: request.model, content}));
  return {content, usage: {prompt_tokens: 1100 + replies, completion_tokens: 70, total_tokens: 1170 + replies}};
}

const server = new LLMock({
  port: 0,
  chunkSize: 7,
  auth: {apiKeys: [process.env.SERVER_KEY]},
  chaos: {dropRate: rate, malformedRate: rate, disconnectRate: rate, rateLimitRate: rate},
});
server.on({}, reply);
await server.start();
console.log(server.port);
