// Precision against yield: where the cut falls for a promise, and what it would really have been.
import { byId, number, share } from "./workbench.js";

const box = byId("quality");
const probability = JSON.parse(box.dataset.probability);
const truth = JSON.parse(box.dataset.truth);
const SVG = "http://www.w3.org/2000/svg";
const BINS = 20;

function shape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

/** How many of the most probable pairs keep the promise. */
function cut(promise) {
  let sum = 0, kept = 0;
  probability.forEach((value, place) => {
    sum += value;
    if (sum / (place + 1) >= promise) kept = place + 1;
  });
  return kept;
}

function draw(kept) {
  const counts = new Array(BINS).fill(0);
  for (const value of probability) counts[Math.min(BINS - 1, Math.floor(value * BINS))] += 1;
  const most = Math.max(...counts, 1);
  const least = kept ? probability[kept - 1] : 1;
  const bars = counts.map((count, place) => {
    const height = (225 * Math.sqrt(count)) / Math.sqrt(most);
    const off = (place + 1) / BINS <= least;
    const bar = shape("rect", { class: off ? "col off" : "col", x: 45 + 14 * place + 1, y: 255 - height, width: 12, height });
    bar.append(shape("title", {}, `${count} pairs`));
    return bar;
  });
  const ticks = [0, 0.5, 1].map((value) => shape("text", { x: 45 + 280 * value, y: 272, "text-anchor": "middle" }, String(value)));
  const line = shape("line", { class: "cut", x1: 45 + 280 * least, x2: 45 + 280 * least, y1: 15, y2: 255 });
  byId("histogram").replaceChildren(shape("line", { class: "axis", x1: 45, x2: 325, y1: 255, y2: 255 }), ...bars, ...ticks, shape("text", { x: 185, y: 291, "text-anchor": "middle" }, "probability; heights are square roots"), line);
}

function show() {
  const promise = Number(byId("slider").value);
  const kept = cut(promise);
  const right = truth.slice(0, kept).reduce((sum, one) => sum + one, 0);
  const all = truth.reduce((sum, one) => sum + one, 0);
  byId("promise").textContent = share(promise);
  byId("yield").textContent = kept
    ? `${number(kept)} of ${number(probability.length)} pairs are kept. ${share(right / kept)} of them are right, which is ${share(right / Math.max(all, 1))} of all right pairs.`
    : "No pairs keep this promise.";
  draw(kept);
}

byId("slider").addEventListener("input", show);
show();
