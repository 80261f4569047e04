// The page: its state, its keys and its buttons.

import { brief, countMatches, firstDifference, modelOf, nearestStep, nextStep, nextSwitch, search, shownRows,
  spoken, statementsOf, visible } from "./model.mjs";
import { lanesOf, scrollTo } from "./layout.mjs";
import { drawNames, drawRows, drawStep, element } from "./view.mjs";

const THEMES = ["auto", "light", "dark"];

export function start(document, window) {
  const data = JSON.parse(document.getElementById("trace").textContent);
  const model = modelOf(data);
  const parts = Object.fromEntries(["scroller", "rows", "list", "overlay", "bracket", "head", "slider", "where", "what", "reason",
    "source", "values", "locks", "stacks", "find", "found", "fold", "theme", "help", "live", "other"]
    .map((id) => [id, document.getElementById(id)]));
  const state = { step: 0, shown: [], unfolded: false, theme: 0, match: -1, positions: new Map(),
    positionOfStep: (step) => state.positions.get(step) };
  const last = model.changes.length;
  let layout, scheduled = false;

  function measure() {
    layout = lanesOf(model, parts.scroller.clientWidth);
    drawNames(document, model, layout, parts.head);
    draw();
  }
  function draw() {
    scheduled = false;
    drawRows(document, model, layout, state, parts);
  }
  function schedule() {
    if (!scheduled) window.requestAnimationFrame(draw);
    scheduled = true;
  }
  function fold(unfolded) {
    state.unfolded = unfolded;
    state.shown = shownRows(model, unfolded);
    state.positions = new Map();
    state.shown.forEach((at, i) => model.rows[at].kind === 0 && state.positions.set(model.rows[at].step, i));
    parts.fold.setAttribute("aria-pressed", unfolded);
    if (!state.positions.has(state.step)) state.step = nearestStep(model, state.step, unfolded);
  }
  function go(step, say = true) {
    state.step = step;
    const position = state.positionOfStep(step) ?? 0, { scrollTop, clientHeight } = parts.scroller;
    const end = step === last ? state.shown.length - 1 : position + statementsOf(model, step).length - 1;
    parts.scroller.scrollTop = scrollTo(position, scrollTo(end, scrollTop, clientHeight), clientHeight);
    draw();
    drawStep(document, model, state, parts);
    const row = model.rows[model.rowOfStep.get(step)];
    if (say && row) parts.live.textContent = `${parts.reason.textContent} ${spoken(model, row)}`.trim();
  }
  function find(direction) {
    const from = state.match >= 0 ? state.match : (state.positionOfStep(state.step) ?? 0) - direction;
    state.match = search(model, state.shown, parts.find.value, from, direction);
    const count = countMatches(model, state.shown, parts.find.value);
    parts.found.textContent = parts.find.value ? `${count} ${count === 1 ? "row" : "rows"}` : "";
    if (state.match < 0) return;
    const row = model.rows[state.shown[state.match]];
    if (row.step && state.positions.has(row.step)) go(row.step);
    else parts.scroller.scrollTop = scrollTo(state.match, parts.scroller.scrollTop, parts.scroller.clientHeight);
  }
  function theme() {
    state.theme = (state.theme + 1) % THEMES.length;
    document.documentElement.dataset.theme = THEMES[state.theme];
    parts.theme.textContent = `theme: ${THEMES[state.theme]}`;
  }

  const acts = {
    ArrowRight: () => go(nextStep(model, state.step, 1, state.unfolded)),
    ArrowLeft: () => go(nextStep(model, state.step, -1, state.unfolded)),
    ArrowDown: () => go(nextSwitch(model, state.step, 1, state.unfolded)),
    ArrowUp: () => go(nextSwitch(model, state.step, -1, state.unfolded)),
    Home: () => go(nearestStep(model, 1, state.unfolded)),
    End: () => go(nearestStep(model, last, state.unfolded)),
    "/": () => parts.find.focus(),
    n: () => find(1),
    N: () => find(-1),
    f: () => { fold(!state.unfolded); draw(); go(state.step); },
    t: theme,
    "?": () => parts.help.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    const typing = event.target === parts.find;
    if (event.ctrlKey || event.metaKey || event.altKey || parts.help.open) return;
    if (typing && event.key === "Enter") return void find(event.shiftKey ? -1 : 1);
    if (typing && event.key === "Escape") {
      event.preventDefault(); // a search field would forget what was searched for
      return void parts.scroller.focus();
    }
    const scrolls = event.target.tagName === "PRE" && event.key.startsWith("Arrow");
    if (typing || scrolls || !Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  });
  for (const button of document.querySelectorAll("button[data-key]"))
    button.addEventListener("click", () => acts[button.dataset.key]());
  parts.find.addEventListener("input", () => { state.match = -1; find(1); });
  parts.slider.max = Math.max(last, 1);
  parts.slider.addEventListener("input", () => go(nearestStep(model, Number(parts.slider.value), state.unfolded)));
  parts.scroller.addEventListener("scroll", schedule, { passive: true });
  parts.list.addEventListener("click", (event) => {
    const step = Number(event.target.closest("[data-step]")?.dataset.step);
    if (step) go(nearestStep(model, step, state.unfolded));
  });
  window.addEventListener("resize", measure);

  if (model.why) showWhy(document, model, parts.other);
  fold(false);
  parts.fold.hidden = !model.rows.some((row) => row.folded);
  state.step = nearestStep(model, Number(/^#step=(\d+)$/.exec(window.location.hash)?.[1] ?? last), false);
  measure();
  go(state.step, false);
  return { state, go, model };
}

// The same schedule without its last preemption, side by side: where the two part is marked.
function showWhy(document, model, pane) {
  pane.hidden = false;
  pane.querySelector("p").textContent = visible(model.why);
  if (!model.other) return;
  const other = modelOf(model.other), parting = firstDifference(model, other);
  const columns = element(document, "div", { class: "beside" });
  pane.append(element(document, "p", {}, `The two runs are the same up to step ${parting - 1}, and then:`));
  for (const [title, run] of [["this run", model], ["the run that passes", other]]) {
    const list = element(document, "ol", { tabindex: "0", "aria-label": title });
    for (const row of run.rows.filter((r) => r.kind <= 1 && r.step >= parting && !r.folded))
      list.append(element(document, "li", { title: spoken(run, row), ...(row.step === parting && { class: "parting" }) }, brief(run, row)));
    columns.append(element(document, "div", {}, element(document, "h3", {}, title), list));
  }
  pane.append(columns);
}

if (globalThis.document) globalThis.heddlePage = start(globalThis.document, globalThis.window);
