// Draws a model into the page. Text only ever gets in as text, never as markup.

import { FAILURE, LINE, NOTE, OUTPUT, PREEMPTION, QUIET, STALE, STEP, SWITCH, isQueue, locksAt, messagesOf, placeOf, reasonOf,
  remarksOn, sourceAround, spoken, stacksAt, statementsOf, valuesAt, visible } from "./model.mjs";
import { NUMBER_WIDTH, ROW_HEIGHT, arrowsIn, windowOf } from "./layout.mjs";

const SVG = "http://www.w3.org/2000/svg", SOURCE_LINES = 41;
const MARKS = { [QUIET]: "quiet", [PREEMPTION]: "preemption", [FAILURE]: "failure", [STALE]: "stale" };
const KINDS = { [STEP]: "step", [SWITCH]: "switch", [OUTPUT]: "output", [LINE]: "line", [NOTE]: "note" };

export function element(document, name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export function drawNames(document, model, layout, head) {
  head.replaceChildren();
  head.style.width = `${layout.width}px`;
  if (layout.single) return;
  model.threads.forEach((name, i) => {
    const node = element(document, "span", { class: "name", title: name }, name);
    node.style.left = `${layout.lanes[i].at + 20}px`;
    node.style.maxWidth = `${layout.lanes[i].width - 20}px`;
    head.append(node);
  });
}

function drawRow(document, model, layout, row, position, state) {
  const current = row.step === state.step && row.step > 0 && row.kind !== LINE && row.kind !== SWITCH;
  const node = element(document, "div", { class: `row ${KINDS[row.kind] ?? "part"} ${MARKS[row.mark] ?? ""}`, role: "option",
    id: `row${position}`, "aria-posinset": position + 1, "aria-setsize": state.shown.length,
    "aria-selected": current, "aria-label": spoken(model, row) });
  if (current) node.classList.add("current");
  node.style.top = `${position * ROW_HEIGHT}px`;
  if (row.step) node.dataset.step = row.step;
  if (row.kind === STEP) node.append(element(document, "span", { class: "number" }, String(row.step)));
  const left = row.thread < 0 || layout.single ? NUMBER_WIDTH : layout.lanes[row.thread].at;
  const cell = element(document, "span", { class: row.thread < 0 ? "across" : `cell lane${row.thread % 8}` });
  cell.style.left = `${left}px`;
  cell.style.width = `calc(100% - ${left + 8}px)`;
  if (layout.single && row.thread >= 0) cell.append(element(document, "b", {}, `${model.threads[row.thread]} `));
  cell.append(element(document, "span", { class: "text", title: row.text }, row.kind === OUTPUT ? `> ${row.text}` : row.text));
  const place = placeOf(model, row);
  if (place) cell.append(element(document, "span", { class: "place" }, place));
  node.append(cell);
  return node;
}

function drawArrows(document, model, layout, window, state, overlay) {
  const lines = arrowsIn(model, layout, window, (step) => state.positionOfStep(step));
  overlay.replaceChildren(overlay.firstElementChild); // the shape of the heads
  overlay.setAttribute("width", layout.width);
  overlay.setAttribute("height", (window.last - window.first) * ROW_HEIGHT);
  overlay.style.top = `${window.first * ROW_HEIGHT}px`;
  const offset = window.first * ROW_HEIGHT;
  for (const line of lines) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", `M${line.x1} ${line.y1 - offset}L${line.x2} ${line.y2 - offset}`);
    path.setAttribute("class", `arrow ${line.kind}`);
    path.setAttribute("marker-end", "url(#arrowhead)");
    overlay.append(path);
  }
}

// Where the cycle is, as a bracket beside its rows.
function drawCycle(model, state, bracket) {
  const first = model.cycle >= 0 ? state.positionOfStep(model.cycle + 1) : undefined;
  bracket.hidden = first === undefined;
  if (bracket.hidden) return;
  const last = state.positionOfStep(model.changes.length) ?? first;
  bracket.style.top = `${first * ROW_HEIGHT}px`;
  bracket.style.height = `${(last - first + 1) * ROW_HEIGHT}px`;
}

export function drawRows(document, model, layout, state, parts) {
  const window = windowOf(parts.scroller.scrollTop, parts.scroller.clientHeight, state.shown.length);
  parts.rows.style.height = `${state.shown.length * ROW_HEIGHT}px`;
  parts.rows.style.width = `${layout.width}px`;
  const nodes = [];
  for (let i = window.first; i < window.last; i++)
    nodes.push(drawRow(document, model, layout, model.rows[state.shown[i]], i, state));
  parts.list.replaceChildren(...nodes);
  const at = state.positionOfStep(state.step);
  if (at >= window.first && at < window.last) parts.scroller.setAttribute("aria-activedescendant", `row${at}`);
  else parts.scroller.removeAttribute("aria-activedescendant");
  drawArrows(document, model, layout, window, state, parts.overlay);
  drawCycle(model, state, parts.bracket);
}

function drawSource(document, model, row, pane) {
  const file = row && row.file >= 0 ? model.files[row.file] : null;
  pane.replaceChildren();
  if (!file) return void pane.append("this step has no place in the source");
  const name = `${visible(file.name)}:${row.line}`;
  pane.append(element(document, "p", { class: "file" }, name));
  const lines = sourceAround(file, row.line, SOURCE_LINES);
  if (!lines.length) return void pane.append("the file could not be read when this page was made");
  const code = element(document, "pre", { tabindex: "0", "aria-label": `source of ${name}` });
  for (const line of lines) {
    const here = line.number === row.line;
    const node = element(document, "div", here ? { class: "here", "aria-current": "true" } : {},
      element(document, "span", { class: "number", "aria-hidden": "true" }, String(line.number)), line.text);
    code.append(node);
  }
  pane.append(code);
  const here = code.querySelector(".here");
  if (here) code.scrollTop = here.offsetTop - code.offsetTop - code.clientHeight / 2;
}

function drawValues(document, model, step, body) {
  const rows = [...valuesAt(model, step)].map(([name, known]) => {
    const changed = known.step === step;
    const text = isQueue(known.value) ? queueText(known.value) : known.value;
    const cell = element(document, "td", {}, text);
    if (changed) cell.append(element(document, "span", { class: "changed" }, " changed"));
    return element(document, "tr", changed ? { class: "change" } : {}, element(document, "th", { scope: "row" }, name), cell);
  });
  body.replaceChildren(...rows);
  body.closest("section").hidden = !rows.length;
}

function queueText(value) {
  const messages = messagesOf(value);
  return messages.length ? messages.map((m) => `[${m}]`).join(" ") : "(empty queue)";
}

function drawLocks(document, model, step, list) {
  const lines = [];
  locksAt(model, step).forEach((locks, thread) => {
    const text = locks === null ? "unknown: it waits, and gave back one of several" : locks.join(", ");
    if (text) lines.push(element(document, "li", {}, `${model.threads[thread]}: ${text}`));
  });
  list.replaceChildren(...lines);
  list.closest("section").hidden = !lines.length;
}

function drawStacks(document, model, step, list) {
  const threads = [];
  stacksAt(model, step).forEach((frames, thread) => {
    if (!frames.length) return;
    const calls = frames.map((text) => element(document, "li", {}, text));
    threads.push(element(document, "li", {}, model.threads[thread], element(document, "ol", {}, ...calls)));
  });
  list.replaceChildren(...threads);
  list.closest("section").hidden = !threads.length;
}

export function drawStep(document, model, state, parts) {
  const at = model.rowOfStep.get(state.step);
  const row = model.rows[at];
  const total = model.changes.length, thread = row ? model.threads[row.thread] : "";
  parts.where.textContent = row ? `step ${state.step} of ${total}: ${thread}` : "no steps";
  parts.what.textContent = row ? statementsOf(model, state.step).join("\n") : "";
  const reason = row ? reasonOf(model, state.step) : "";
  parts.reason.textContent = [reason && `${reason} before this step`, ...remarksOn(model, state.step)].filter(Boolean).join("\n");
  parts.slider.value = state.step;
  parts.slider.setAttribute("aria-valuetext", row ? spoken(model, row) : "no steps");
  drawSource(document, model, row, parts.source);
  drawValues(document, model, state.step, parts.values);
  drawLocks(document, model, state.step, parts.locks);
  drawStacks(document, model, state.step, parts.stacks);
}
