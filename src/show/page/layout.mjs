// Where things stand: the window of rows that is drawn, the lanes, and the arrows between them.

import { placeOf } from "./model.mjs";

export const ROW_HEIGHT = 26, NUMBER_WIDTH = 58, NARROW = 600, CHARACTER = 7.85, LEAST_LANE = 150, LEAST_DISTANCE = 110, MOST_LANE = 640,
  OVERSCAN = 12;

// Only what can be seen is drawn, whatever the length of the trace.
export function windowOf(scrollTop, height, count) {
  const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - OVERSCAN);
  const last = Math.min(count, Math.ceil((scrollTop + height) / ROW_HEIGHT) + OVERSCAN);
  return { first, last: Math.max(first, last) };
}

// Where to scroll so that a row is in view; the same if it is already.
export function scrollTo(position, scrollTop, height) {
  const top = position * ROW_HEIGHT;
  if (top < scrollTop + ROW_HEIGHT) return Math.max(0, top - ROW_HEIGHT * 2);
  if (top + ROW_HEIGHT * 2 > scrollTop + height) return Math.max(0, top + ROW_HEIGHT * 3 - height);
  return scrollTop;
}

// Lanes as wide as what stands in them. If they do not fit beside each other they begin at equal distances, close enough together
// for what stands in the last ones: a text runs on over the lanes to the right, which are empty in its row. Where even that does
// not fit there is one column, with names in it.
export function lanesOf(model, width) {
  const longest = model.threads.map((name) => name.length);
  for (const row of model.rows)
    if (row.thread >= 0 && row.kind <= 1)
      longest[row.thread] = Math.max(longest[row.thread], row.text.length + placeOf(model, row).length + 3);
  const wanted = longest.map((n) => Math.min(Math.max(n * CHARACTER + 30, LEAST_LANE), MOST_LANE));
  const total = wanted.reduce((sum, w) => sum + w, 0), room = width - NUMBER_WIDTH;
  const single = wanted.length > 1 && (width < NARROW ? total : wanted.length * LEAST_LANE) > room;
  const widths = total > room && !single ? wanted.map(() => distanceOf(wanted, room)) : wanted;
  let at = NUMBER_WIDTH;
  const lanes = widths.map((w) => {
    const lane = { at, width: Math.floor(w) };
    at += lane.width;
    return lane;
  });
  return { single, lanes, width: single ? width : Math.max(total > room ? 0 : at, width) };
}

function distanceOf(wanted, room) {
  let distance = room / wanted.length;
  wanted.forEach((w, i) => { if (i) distance = Math.min(distance, (room - w) / i); });
  return Math.min(Math.max(distance, LEAST_DISTANCE), room / wanted.length);
}

// The arrows that cross the window, as lines between points. `position` tells where the row of a step stands.
export function arrowsIn(model, layout, window, position) {
  if (layout.single) return [];
  const lines = [];
  for (const [kind, from, to, fromThread, toThread, label] of model.arrows) {
    const a = position(from), b = position(to) + (from === to ? 1 : 0);
    if (a === undefined || b === undefined || !(b >= window.first && a <= window.last)) continue;
    const left = layout.lanes[fromThread], right = layout.lanes[toThread];
    if (!left || !right) continue;
    const forward = right.at > left.at;
    lines.push({ kind, label, x1: left.at + 8, y1: (a + 0.5) * ROW_HEIGHT, x2: right.at + (forward ? 3 : 13),
      y2: (b + 0.5) * ROW_HEIGHT });
  }
  return lines;
}
