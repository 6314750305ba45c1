// What the pages share: requests that tell what went wrong, and small pieces of the page.

/** JSON of a request; an error has the service's own words. */
export async function ask(address, { method = "GET", json, form } = {}) {
  const headers = { Accept: "application/json" };
  let body;
  if (json !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(json);
  } else if (form !== undefined) body = form;
  const answer = await fetch(address, { method, headers, body });
  const told = await answer.json().catch(() => null);
  if (!answer.ok) {
    const error = told?.error;
    throw new Error(error ? [error.fact, error.hint].filter(Boolean).join(". ") : `${answer.status} ${answer.statusText}`);
  }
  return told;
}

export const byId = (id) => document.getElementById(id);

/** An element with attributes and children; strings become text, never markup. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export const share = (value, digits = 1) => (value === null || value === undefined ? "–" : `${(100 * value).toFixed(digits)} %`);
export const number = (value) => Math.round(value).toLocaleString("en");

/** Pieces of a marked text. */
export function marked(pieces) {
  return pieces.map(([text, reason]) =>
    reason === null ? document.createTextNode(text) : make("mark", { class: `m${reason % 6}`, "data-reason": reason }, text),
  );
}

/** What is under the pointer lights up with its partners, wherever they stand. */
export function lightPartners(root, attribute = "data-reason") {
  const light = (event, on) => {
    const found = event.target.closest?.(`[${attribute}]`);
    if (!found || !root.contains(found)) return;
    const wanted = found.getAttribute(attribute).split(" ");
    for (const other of root.querySelectorAll(`[${attribute}]`))
      if (other.getAttribute(attribute).split(" ").some((one) => wanted.includes(one))) other.classList.toggle("lit", on);
  };
  for (const [name, on] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]])
    root.addEventListener(name, (event) => light(event, on));
}
