// npm's llama.cpp as a rival: a round whenever it is asked for one. Arguments: FILE THREADS TOKENS, the most of a round.
// On stdin a line "pp N" or "tg N" for each round; on stdout "ready VERSION" at the start, then a line "speed TOKENS_PER_SECOND" for each.
import {createInterface} from "node:readline";
import {getLlama, getModuleVersion} from "node-llama-cpp";

const [file, threads, most] = process.argv.slice(1);
const llama = await getLlama({gpu: false, build: "never", logLevel: "error"});
const model = await llama.loadModel({modelPath: file, useMmap: true});
const context = await model.createContext({contextSize: +most + 16, batchSize: 512, threads: +threads, sequences: 1});
const sequence = context.getSequence();
const prompt = length => Array.from({length}, (_, i) => 100 + (i * 37) % 400);

async function read(tokens) {
  const start = performance.now();
  await sequence.evaluateWithoutGeneratingNewTokens(prompt(tokens));
  return performance.now() - start;
}

// Each token is one pass over the weights; the clock starts at the first, which has read the prompt.
async function generate(tokens) {
  let start, count = 0;
  for await (const _ of sequence.evaluate(prompt(1), {temperature: 0})) {
    start ??= performance.now();
    if (count++ === tokens) break;
  }
  return performance.now() - start;
}

console.log("ready " + await getModuleVersion());
for await (const line of createInterface({input: process.stdin})) {
  const [test, tokens] = line.split(" ");
  await sequence.clearHistory();
  const milliseconds = await (test === "pp" ? read(+tokens) : generate(+tokens));
  console.log("speed " + +tokens * 1e3 / milliseconds);
}
process.exit(0);
