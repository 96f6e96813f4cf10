// Checks reports in a browser, for scripts/check-page. Arguments: a folder for pictures, then the HTML files of the reports.
import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const [out, ...pages] = process.argv.slice(2);
const axe = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "node_modules/axe-core/axe.min.js"), "utf8");
const faults = [];
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const tab = await browser.newPage();
let name = "";
const expect = (holds, what) => holds || faults.push(name + ": " + what);
tab.on("console", (message) => expect(message.type() !== "error", message.text()));
tab.on("pageerror", (error) => expect(false, error.message));

const open = async (file, width, scheme) => {
  name = `${basename(dirname(dirname(resolve(file))))}-${width}-${scheme}`;
  await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await tab.setViewport({ width, height: 1200 });
  await tab.goto("file://" + resolve(file));
  await tab.screenshot({ path: join(out, name + ".png") });
};
const look = async (state) => {
  await tab.evaluate(axe);
  const found = await tab.evaluate(async () => (await window.axe.run()).violations.map((one) => one.id + " " + one.nodes[0].html));
  found.forEach((one) => expect(false, state + ": " + one));
  expect(await tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), state + ": wider than the window");
  const cut = "code, button, h1, h3, h4, p, pre, li";
  const beyond = await tab.evaluate((kinds) => [...document.querySelectorAll(".finding")].flatMap((card) =>
    [...card.querySelectorAll(kinds)].filter((one) => one.getBoundingClientRect().right > card.getBoundingClientRect().right + 1
        || (one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1))
      .map((one) => one.textContent)), cut);
  beyond.slice(0, 3).forEach((text) => expect(false, state + ": beyond its card: " + text));
};
const focused = () => tab.evaluate(() => document.activeElement.id);

for (const file of pages) {
  for (const width of [400, 800, 1600]) {
    for (const scheme of ["light", "dark"]) {
      await open(file, width, scheme);
      await look("folded");
      await tab.evaluate(() => document.querySelectorAll("details").forEach((fold) => { fold.open = true; }));
      await look("unfolded");
    }
  }
  await open(file, 800, "light");
  const ids = await tab.$$eval("article.finding", (all) => all.map((one) => one.id));
  for (const [key, at] of [["j", 0], ["j", 1], ["k", 0], ["k", 0]]) {
    await tab.keyboard.press(key);
    const id = ids[Math.min(at, ids.length - 1)] ?? "";
    expect((await focused()) === id, `key ${key}: not at ${id}`);
  }
  const command = ids.length > 0 ? await tab.$eval(".decide code", (code) => code.textContent) : "";
  if (command) {
    await tab.click(".decide button");
    await tab.waitForFunction(() => document.querySelector("output").textContent, { timeout: 5000 });
    const said = await tab.$eval("output", (output) => output.textContent);
    expect(said.startsWith("Copied: " + command), "button: " + said);
  }
  await tab.emulateMediaFeatures([]);
  await tab.pdf({ path: join(out, name + ".pdf"), format: "A4" });
}
await browser.close();
faults.forEach((fault) => console.log(fault));
console.log(`check-page: ${pages.length} pages, ${faults.length} faults`);
process.exit(faults.length > 0 ? 1 : 0);
