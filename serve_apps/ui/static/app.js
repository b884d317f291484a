// What pages of the dashboard have beyond page.js: live regions, lists, keys. Pages work without it.
import { isTyping, say } from "./page.js";
import "./upload.js";

export const csrf = document.querySelector('meta[name="csrf"]')?.content ?? "";

// Live regions: htmx asks again while the page is looked at; a job's events say when. A question or an open menu waits.
const isBusy = (region) => document.querySelector("dialog[open]") !== null || region.querySelector("details.menu[open], .pick:checked") !== null;
document.addEventListener("htmx:beforeRequest", (event) => {
  const region = event.detail.elt;
  if (region.matches('[hx-trigger^="every"]') && (document.hidden || isBusy(region))) event.preventDefault();
});
document.addEventListener("htmx:beforeSwap", (event) => {
  // Asked before the question was put: a swap now would take away the form that the answer sends.
  const region = event.detail.requestConfig.elt;
  if (region.id === "live" && isBusy(region)) event.detail.shouldSwap = false;
  if ("whole" in region.dataset && !event.detail.xhr.responseText.includes("data-whole")) { // its document is finished
    event.detail.shouldSwap = false;
    location.reload();
  }
  if (new URL(event.detail.xhr.responseURL || location.href).pathname === "/ui/login") {
    event.detail.shouldSwap = false;
    location.reload();
  }
});
document.addEventListener("htmx:afterSettle", follow);

// The keyboard stays where it was in a region that is replaced: at the control of the same address, value or name.
let held;
document.addEventListener("htmx:beforeSwap", (event) => {
  const one = document.activeElement;
  const name = ["href", "value", "aria-label"].find((each) => one.hasAttribute(each));
  held = name && event.detail.target.contains(one) ? `${one.localName}[${name}="${CSS.escape(one.getAttribute(name))}"]` : undefined;
});
document.addEventListener("htmx:afterSwap", () => {
  if (held) (document.querySelector(`#live ${held}`) ?? document.querySelector(held))?.focus({ preventScroll: true });
  held = undefined;
});

let events;
function follow() {
  const live = document.querySelector("#live[data-events]");
  if (live && events?.url.endsWith(live.dataset.events)) return;
  events?.close();
  events = live ? listen(live.dataset.events) : undefined;
}

function listen(address) {
  const source = new EventSource(address);
  let last = 0, late, failed = 0;
  const again = () => {
    const region = document.getElementById("live");
    if (!region || isBusy(region)) { late = setTimeout(again, 1000); return; }
    last = Date.now();
    window.htmx?.trigger(region, "progress");
  };
  source.addEventListener("job", (event) => {
    failed = JSON.parse(event.data).counts.failed;
    clearTimeout(late);
    if (Date.now() - last > 400) again(); else late = setTimeout(again, 400);
  });
  source.addEventListener("end", () => {
    clearTimeout(late);
    source.close();
    events = undefined;
    again();
    say(failed ? `The job is done; ${failed === 1 ? "a document" : `${failed} documents`} could not be read.` : "The job is done.");
  });
  return source;
}

// Lists: a filter that is changed is used at once; the box of the head ticks all, and what is ticked is counted.
document.addEventListener("change", (event) => {
  if (event.target.closest("[data-auto]") && event.target.matches("select, input[type=date]")) event.target.form.requestSubmit();
  if (event.target.matches("[data-all]")) for (const box of document.querySelectorAll(".pick:not([data-all])")) box.checked = event.target.checked;
  const count = document.getElementById("picked");
  const everything = document.querySelector("[data-everything]:checked")?.dataset.everything;
  if (count) count.textContent = everything ?? document.querySelectorAll(".pick:not([data-all]):checked").length;
});

// Keys that every page knows.
const places = { d: "/ui", o: "/ui/overview", j: "/ui/jobs", r: "/ui/review", f: "/ui/dead-letters", u: "/ui/upload", s: "/ui/sources", w: "/ui/webhooks", a: "/ui/audit" };
let going = 0;
document.addEventListener("keydown", (event) => {
  if (isTyping(event)) return;
  if (Date.now() - going < 1200 && places[event.key]) {
    event.preventDefault();
    event.stopImmediatePropagation();
    location.href = places[event.key];
    return;
  }
  going = event.key === "g" ? Date.now() : 0;
  if (event.key === "?") { document.getElementById("help")?.showPopover(); event.preventDefault(); }
  if (event.key === "/") {
    event.preventDefault();
    const field = document.getElementById("q");
    if (field) field.select(); else location.href = "/ui/search";
  }
  const first = document.querySelector("[data-first]");
  if (event.key === "Enter" && first && event.target === document.body) first.click();
}, true);

for (const form of document.querySelectorAll("form[data-auto]")) { // acts at once; Enter in a text field still sends it
  const button = form.querySelector("button:not([name])");
  if (button) button.hidden = true;
}
follow();
