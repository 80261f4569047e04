// The pages in a real browser: browser.mjs DIRECTORY PLAYWRIGHT CHROMIUM. The directory has the pages; pictures of them go there.
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const [directory, playwright, executablePath] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(playwright));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-quic"] });

async function check(name, act) {
  try {
    await act();
    console.log(`ok html/${name}`);
  } catch (error) {
    console.log(`FAIL html/${name}: ${String(error.message).split("\n")[0]}`);
  }
}

function expect(got, wanted, what) {
  if (got !== wanted) throw new Error(`${what}: ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`);
}

// A page that is only what it is: no request but for itself, no error, nothing on the console.
async function open(file, { hash = "", ...options } = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
  page.setDefaultTimeout(60000);
  page.wrong = [];
  const url = pathToFileURL(join(directory, file)).href;
  page.on("request", (r) => r.url().split("#")[0] !== url && page.wrong.push(`request ${r.url()}`));
  page.on("pageerror", (e) => page.wrong.push(e.message));
  page.on("console", (m) => page.wrong.push(m.text()));
  page.on("dialog", (d) => page.wrong.push(d.message()));
  await page.goto(url + hash);
  return page;
}

const where = (page) => page.textContent("#where");
const press = async (page, ...keys) => { for (const key of keys) await page.keyboard.press(key); };
const shot = (page, name) => page.screenshot({ path: join(directory, `${name}.png`) });

await check("load", async () => {
  const page = await open("example.html");
  expect(await where(page), "step 10 of 10: main", "it begins with the last step");
  expect(await page.textContent("h1"), await page.title(), "title");
  expect(await page.locator("pre .here").textContent(), "23    assert(n == 2);", "source line");
  expect(await page.locator("#overlay .arrow").count(), 4, "arrows of create and join");
  await shot(page, "light");
  await page.focus("#scroller");
  await press(page, "Home");
  expect(await where(page), "step 1 of 10: main", "Home");
  await press(page, "ArrowRight", "ArrowRight");
  expect(await where(page), "step 3 of 10: T1 increment", "right twice");
  await press(page, "ArrowDown");
  expect(await where(page), "step 4 of 10: T2 increment", "down");
  expect(await page.textContent("#reason"), "T1 increment preempted before this step", "reason");
  expect(await page.textContent("#values"), "n0", "a value that was read");
  await press(page, "ArrowRight");
  expect(await page.textContent("#values"), "n1 changed", "a value that was written");
  await press(page, "ArrowLeft", "ArrowUp", "ArrowLeft");
  expect(await where(page), "step 2 of 10: main", "up and left");
  expect(await page.getAttribute("#slider", "aria-valuetext"), "step 2, main: create T2, lost-update-atomic.c:20", "spoken");
  await press(page, "ArrowRight");
  expect(await page.textContent("#live"), "main blocked before this step step 3, T1 increment: n -> 0, lost-update-atomic.c:11", "announced");
  await page.locator("#slider").fill("6");
  expect(await where(page), "step 6 of 10: T1 increment", "slider");
  await page.locator('.row[data-step="9"] .text').click();
  expect(await where(page), "step 9 of 10: main", "click");
  expect(page.wrong.join(), "", "nothing else happened");
});

// What main did last it did in add(), called at line 8; T1 is in add(), called at line 6 by twice(), called at line 7.
await check("call stacks", async () => {
  const page = await open("calls.html");
  await page.locator("#slider").fill("4");
  const stacks = () => page.locator("#stacks > li").evaluateAll((all) => all.map((li) => li.innerText.replace(/\s+/g, " ")).join("; "));
  expect(await stacks(), "main add calls.c:5 main calls.c:8; T1 t add calls.c:5 twice calls.c:6 t calls.c:7", "inside of two calls");
  await page.focus("#scroller");
  await press(page, "End");
  expect(await page.locator("#stacks").isVisible(), false, "outside of all calls");
  await page.locator("#slider").fill("6");
  await shot(page, "calls");
  const other = await open("recursion.html");
  expect(await other.locator("#stacks > li").first().locator("li").count() > 1, true, "a procedure that calls itself");
  expect(page.wrong.join() + other.wrong.join(), "", "nothing else happened");
});

await check("queues", async () => {
  const page = await open("queue.html");
  expect(await page.locator("#overlay .message").count(), 2, "a message there, and one back, inside of atomic sequences");
  expect(await page.textContent("#what"), "back?v\nassert((v==1))  [back = empty]", "all statements of the step");
  expect(await page.locator(".row.failure").count(), 1, "only what fails is marked");
  expect(await page.evaluate(() => document.body.innerText.includes("with v = 2")), true, "the value that is wrong");
  await press(page, "ArrowLeft", "ArrowLeft");
  expect(await page.textContent("#values tr:has-text('back') td"), "[2] changed", "what is in the queue");
  expect(page.wrong.join(), "", "nothing else happened");
  await shot(page, "queue");
});

await check("stale reads", async () => {
  const page = await open("weak.html");
  const stale = page.locator(".row.stale");
  expect(await stale.count(), 1, "marked");
  await stale.click();
  const reason = await page.textContent("#reason");
  if (!/^this step is stale in number: 2 was written at step \d+ by T1, and nothing orders/.test(reason)) throw new Error(reason);
  expect(await page.locator("#other .beside ol").count(), 2, "the run that passes beside it");
  expect(page.wrong.join(), "", "nothing else happened");
  await shot(page, "weak");
});

await check("search", async () => {
  const page = await open("example.html", { hash: "#step=1" });
  expect(await where(page), "step 1 of 10: main", "address with a step");
  await press(page, "/");
  await page.keyboard.type("N = 1");
  expect(await page.textContent("#found"), "2 rows", "matches");
  expect(await where(page), "step 5 of 10: T2 increment", "first match");
  await press(page, "Enter");
  expect(await where(page), "step 6 of 10: T1 increment", "next match");
  await press(page, "Enter");
  expect(await where(page), "step 5 of 10: T2 increment", "around the end");
  await press(page, "Escape", "N");
  expect(await where(page), "step 6 of 10: T1 increment", "match before");
  await page.fill("#find", "nowhere");
  expect(await page.textContent("#found"), "0 rows", "no match");
  expect(page.wrong.join(), "", "nothing else happened");
});

await check("keyboard and screen reader", async () => {
  const page = await open("example.html");
  await press(page, "?");
  expect(await page.locator("#help").evaluate((d) => d.open), true, "help opens");
  await press(page, "Escape");
  expect(await page.locator("#help").evaluate((d) => d.open), false, "help closes");
  const names = [];
  for (let i = 0; i < 13; i++) {
    await press(page, "Tab");
    names.push(await page.evaluate(() => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent));
  }
  for (const name of ["first step", "step", "search in the steps", "help", "steps, a lane for each thread"])
    expect(names.includes(name), true, `Tab reaches "${name}" (${names.join(", ")})`);
  const active = await page.getAttribute("#scroller", "aria-activedescendant");
  expect(await page.getAttribute(`#${active}`, "aria-label"), "step 10, main: assert(n == 2) fails, lost-update-atomic.c:23, this fails", "current row");
  expect(await page.getAttribute(`#${active}`, "aria-selected"), "true", "selected");
  const unnamed = await page.evaluate(() => [...document.querySelectorAll("button, input")].filter((e) => !e.ariaLabel && !e.textContent).length);
  expect(unnamed, 0, "controls without a name");
});

await check("light and dark", async () => {
  const page = await open("example.html", { colorScheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await shot(page, "dark");
  await press(page, "t");
  const light = await paper();
  expect(light, "rgb(255, 255, 255)", "light by choice");
  await press(page, "t");
  expect(await paper(), dark, "dark by choice");
  if (dark === light) throw new Error("dark is light");
});

await check("phone", async () => {
  const page = await open("example.html", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= 360), true, "no scrolling sideways");
  expect(await page.locator('.row[data-step="10"] b').textContent(), "main ", "names stand before the steps");
  await page.locator('button[data-key="ArrowLeft"]').tap();
  expect(await where(page), "step 9 of 10: main", "tap");
  await shot(page, "phone");
});

await check("hostile strings", async () => {
  const page = await open("hostile.html");
  await page.focus("#scroller");
  await press(page, "Home");
  for (let i = 0; i < 30; i++) await press(page, "ArrowRight");
  await page.fill("#find", "<img");
  expect(await page.evaluate(() => window.hacked), undefined, "nothing ran");
  expect(await page.locator("img, svg:not(#overlay), script:not([type])").count(), 0, "elements that the trace brought");
  expect(await page.evaluate(() => document.body.innerText.includes("<img src=x onerror='window.hacked=1'>")), true, "shown as it is");
  expect(await page.evaluate(() => /[\u202e\u2066\u0007\u001b]/.test(document.body.innerText)), false, "nothing turns the text around");
  expect(page.wrong.join(), "", "nothing else happened");
  await shot(page, "hostile");
  const picture = await open("hostile.svg");
  expect(await picture.evaluate(() => window.hacked), undefined, "nothing ran in the chart");
  expect(await picture.evaluate(() => document.documentElement.nodeName), "svg", "the chart is well-formed");
  expect(picture.wrong.join(), "", "nothing else happened in the chart");
});

await check("a loop is folded and its cycle marked", async () => {
  const page = await open("loop.html");
  const rows = () => page.evaluate(() => heddlePage.state.shown.length);
  expect(await page.locator(".row.line .across").first().textContent(), "... the same 2 steps 49 more times ...", "fold");
  const folded = await rows();
  await press(page, "f");
  expect(await rows(), folded + 98, "all of them");
  expect(await page.locator("#bracket").isVisible(), true, "bracket");
  await shot(page, "loop");
});

await check("100,000 steps", async () => {
  const page = await open("long.html");
  expect(await where(page), "step 100000 of 100000: T2", "last step");
  const nodes = () => page.evaluate(() => document.querySelectorAll("*").length);
  if (await nodes() > 1500) throw new Error(`${await nodes()} elements for one screen`);
  await press(page, "Home");
  expect(await where(page), "step 1 of 100000: main", "first step");
  await page.fill("#find", "x = 77777");
  expect(await where(page), "step 77778 of 100000: T2", "found");
  expect(await page.locator("#values tr").count(), 20, "values");
  const moved = await page.evaluate(() => {
    const started = performance.now();
    for (let step = 1; step <= 100000; step += 2000) heddlePage.go(step);
    return performance.now() - started;
  });
  await page.locator("#scroller").evaluate((s) => { s.scrollTop = s.scrollHeight / 2; });
  await page.waitForSelector('.row[data-step="50000"]');
  if (await nodes() > 1500) throw new Error(`${await nodes()} elements after scrolling`);
  console.error(`50 steps drawn in ${Math.round(moved)} ms`);
  expect(page.wrong.join(), "", "nothing else happened");
});

await browser.close();
