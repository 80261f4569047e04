// The trace of a page: what its rows mean. Knows nothing of how it is drawn, so that it can be tested without a browser.

export const STEP = 0, PART = 1, OUTPUT = 2, SWITCH = 3, LINE = 4, NOTE = 5;
export const PLAIN = 0, QUIET = 1, PREEMPTION = 2, FAILURE = 3, STALE = 4;
const ROW_FIELDS = ["kind", "mark", "folded", "step", "thread", "text", "file", "line"];
const CHECKPOINT = 1000; // steps between two complete sets of values

// Characters that would not be seen, or would turn the text around them, are shown by their number. U+EF80 to U+EFFF stand
// for bytes that are not UTF-8 (doc/trace-format.md).
export function visible(text) {
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\uef80-\uefff]/g,
    (c) => {
      const code = c.charCodeAt(0);
      return code >= 0xef80 ? `\\x${(code & 0xff).toString(16)}` : `\\u${code.toString(16).padStart(4, "0")}`;
    });
}

export function modelOf(data) {
  const rows = data.rows.map((r) => Object.fromEntries(ROW_FIELDS.map((name, i) => [name, r[i]])));
  for (const row of rows) row.text = visible(data.texts[row.text]);
  const rowOfStep = new Map(); // the first row of each step that has one
  rows.forEach((row, i) => row.kind === STEP && rowOfStep.set(row.step, i));
  const notes = rows.filter((row) => row.kind === NOTE).map((row) => row.text);
  return { ...data, rows, rowOfStep, notes, threads: data.threads.map(visible), checkpoints: [new Map()], lockpoints: [] };
}

// Positions in `rows` of what is shown.
export function shownRows(model, unfolded) {
  const shown = [];
  model.rows.forEach((row, i) => (unfolded || !row.folded) && shown.push(i));
  return shown;
}

// The step nearest to the wanted one that has a row: the middle of a long trace may be left out.
export function nearestStep(model, wanted, unfolded = true) {
  const fits = (step) => model.rowOfStep.has(step) && (unfolded || !model.rows[model.rowOfStep.get(step)].folded);
  const last = model.changes.length;
  const at = Math.min(Math.max(wanted, 1), Math.max(last, 1));
  for (let d = 0; d <= last; d++) {
    if (fits(at - d)) return at - d;
    if (fits(at + d)) return at + d;
  }
  return 0;
}

// The next step in a direction that is shown; the same one if there is none.
export function nextStep(model, step, direction, unfolded) {
  for (let s = step + direction; s >= 1 && s <= model.changes.length; s += direction) {
    const row = model.rowOfStep.get(s);
    if (row !== undefined && (unfolded || !model.rows[row].folded)) return s;
  }
  return step;
}

// The next step to which another thread was switched.
export function nextSwitch(model, step, direction, unfolded) {
  const steps = model.switches;
  let at = lowerBound(steps, direction > 0 ? step + 1 : step);
  if (direction < 0) at--;
  for (; at >= 0 && at < steps.length; at += direction) {
    const row = model.rowOfStep.get(steps[at]);
    if (row !== undefined && (unfolded || !model.rows[row].folded)) return steps[at];
  }
  return step;
}

// The first position in a sorted list whose value is not less.
export function lowerBound(list, value) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// All values known after a step: name -> {value, step}, where `step` changed it last.
export function valuesAt(model, step) {
  while (model.checkpoints.length * CHECKPOINT <= step) {
    const n = model.checkpoints.length;
    model.checkpoints.push(advance(model, model.checkpoints[n - 1], (n - 1) * CHECKPOINT, n * CHECKPOINT));
  }
  const n = Math.floor(step / CHECKPOINT);
  return advance(model, model.checkpoints[n], n * CHECKPOINT, step);
}

function advance(model, values, from, to) {
  const result = new Map(values);
  for (let s = from + 1; s <= to; s++)
    for (const [name, value, onlySeen] of model.changes[s - 1])
      result.set(visible(model.texts[name]), { value: visible(model.texts[value]), step: onlySeen ? 0 : s });
  return result;
}

export function isQueue(value) {
  return value === "empty" || /^\[.*\]$/.test(value);
}

// The messages in a queue, in turn.
export function messagesOf(value) {
  return value === "empty" ? [] : value.slice(1, -1).split("][");
}

const HELD = { acquire: 1, release: 1, wait: 1, wake: 1 };

// What each thread holds after a step: a list of locks per thread, or null where a condition variable gave back one of
// several and the trace does not say which.
export function locksAt(model, step) {
  const held = model.threads.map(() => []), parked = model.threads.map(() => []);
  for (const [at, thread, does, text] of model.sync) {
    if (at > step) break;
    if (HELD[does]) apply(held, parked, thread, does, visible(model.texts[text]));
  }
  return held;
}

function apply(held, parked, thread, does, object) {
  if (does === "wait") {
    parked[thread] = held[thread];
    held[thread] = held[thread] && held[thread].length > 1 ? null : [];
  } else if (does === "wake") {
    if (parked[thread] && parked[thread].length) held[thread] = parked[thread];
    parked[thread] = [];
  } else if (held[thread]) {
    held[thread] = held[thread].filter((lock) => lock !== object);
    if (does === "acquire") held[thread].push(object);
  }
}

// The calls in which each thread is after a step, as words, innermost first; an empty list: it is not inside of one.
export function stacksAt(model, step) {
  const stacks = model.threads.map(() => []);
  for (const [at, thread, ...frames] of model.stacks ?? []) {
    if (at > step) break;
    stacks[thread] = frames;
  }
  return stacks.map((frames) => frames.map((i) => frameText(model, model.frames[i])));
}

function frameText(model, [name, file, line]) {
  return `${visible(model.texts[name])} ${placeOf(model, { file, line })}`;
}

// The next row with the text in it, from a position on and around the end; -1: none.
export function search(model, shown, text, from, direction) {
  const wanted = text.toLowerCase();
  if (!wanted) return -1;
  for (let i = 1; i <= shown.length; i++) {
    const at = (((from + i * direction) % shown.length) + shown.length) % shown.length;
    if (searchText(model, model.rows[shown[at]]).includes(wanted)) return at;
  }
  return -1;
}

export function countMatches(model, shown, text) {
  const wanted = text.toLowerCase();
  return wanted ? shown.filter((i) => searchText(model, model.rows[i]).includes(wanted)).length : 0;
}

function searchText(model, row) {
  return `${row.text} ${placeOf(model, row)} ${row.thread >= 0 ? model.threads[row.thread] : ""}`.toLowerCase();
}

export function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function placeOf(model, row) {
  return row.file >= 0 ? `${visible(baseName(model.files[row.file].name))}:${row.line}` : "";
}

// A row as somebody would read it aloud.
export function spoken(model, row) {
  const thread = row.thread >= 0 ? model.threads[row.thread] : "";
  const text = row.text.replace(/^-+ | -+$/g, "");
  if (row.kind === SWITCH) return `${thread} ${text}`;
  if (row.kind === OUTPUT) return `${thread} printed ${text}`;
  if (row.kind >= LINE) return text;
  const place = placeOf(model, row);
  const failure = row.mark === FAILURE ? ", this fails" : "";
  return `step ${row.step}, ${thread}: ${text}${place ? `, ${place}` : ""}${failure}`;
}

// A row beside others of its kind: "4 T2: n = 1".
export function brief(model, row) {
  return `${row.kind === STEP ? `${row.step} ` : ""}${model.threads[row.thread].split(" ")[0]}: ${row.text}`;
}

// Why the step's thread moves here; "" if it moved before.
export function reasonOf(model, step) {
  const at = model.rowOfStep.get(step);
  for (let i = at - 1; i >= 0 && model.rows[i].step === step; i--) {
    const row = model.rows[i];
    if (row.kind === SWITCH) return `${model.threads[row.thread]} ${row.text.replace(/^-- | --$/g, "")}`;
  }
  return "";
}

// All that is done in a step: one line for each statement.
export function statementsOf(model, step) {
  const texts = [];
  for (let i = model.rowOfStep.get(step); i < model.rows.length && model.rows[i].step === step && model.rows[i].kind <= PART; i++)
    texts.push(model.rows[i].text);
  return texts;
}

// What is said of a step below the others ("step 11 is stale in x: ..."), with the lines that are indented under it.
export function remarksOn(model, step) {
  const remarks = [];
  let about = false;
  for (const text of model.notes) {
    about = text.startsWith(`step ${step} `) || (about && text.startsWith("  "));
    if (about) remarks.push(text.trim().replace(/^step \d+ /, "this step "));
  }
  return remarks;
}

// The lines of a file around one of them.
export function sourceAround(file, line, most) {
  if (!file || file.text === null) return [];
  const lines = file.text.split("\n");
  const first = Math.max(1, Math.min(line - Math.floor(most / 2), lines.length - most + 1));
  return lines.slice(first - 1, first - 1 + most).map((text, i) => ({ number: first + i, text: visible(text) }));
}

// The first step at which two runs differ; one beyond the shorter one if it is the beginning of the other.
export function firstDifference(a, b) {
  const actionsOf = (m) => m.rows.filter((r) => r.kind === STEP).map((r) => `${m.threads[r.thread]}: ${r.text} ${placeOf(m, r)}`);
  const one = actionsOf(a), two = actionsOf(b);
  let i = 0;
  while (i < one.length && i < two.length && one[i] === two[i]) i++;
  return i + 1;
}
