// What every page has: live regions, questions before what cannot be undone, keys, times, copying. Pages work without it.
import "./upload.js";

export const csrf = document.querySelector('meta[name="csrf"]')?.content ?? "";

let silence;
/** Says something for a while, also to screen readers. */
export function say(text) {
  const place = document.getElementById("status");
  place.textContent = text;
  clearTimeout(silence);
  silence = setTimeout(() => { place.textContent = ""; }, 6000);
}

/** True where a key press belongs to a field, a dialog or a shortcut of the browser. */
export function isTyping(event) {
  return event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey
    || event.target.closest("input:not([type=checkbox]), select, textarea, [contenteditable], dialog") !== null
    || document.querySelector("dialog[open], :popover-open") !== null;
}

/** Asks in a dialog of ours; true when the answer is yes. The end of an earlier question, told late, answers no later one. */
let asked = 0;
export function ask(question, yes = "Yes", danger = false) {
  const mine = ++asked;
  const dialog = document.getElementById("ask");
  document.getElementById("ask-text").textContent = question;
  dialog.querySelector("[value=yes]").textContent = yes;
  dialog.classList.toggle("danger", danger);
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((done) => {
    const closed = () => {
      if (mine === asked && dialog.open) return;
      dialog.removeEventListener("close", closed);
      done(mine === asked && dialog.returnValue === "yes");
    };
    dialog.addEventListener("close", closed);
  });
}

// Questions come before htmx or the browser sends the form.
document.addEventListener("submit", async (event) => {
  const form = event.target, submitter = event.submitter;
  const asker = submitter?.dataset.confirm ? submitter : form;
  if (!asker.dataset.confirm || form.dataset.asked) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  if (!(await ask(asker.dataset.confirm, asker.dataset.yes, "danger" in asker.dataset))) return;
  form.dataset.asked = "yes";
  form.requestSubmit(submitter);
  delete form.dataset.asked;
}, true);

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
  if (new URL(event.detail.xhr.responseURL || location.href).pathname === "/ui/login") {
    event.detail.shouldSwap = false;
    location.reload();
  }
});
document.addEventListener("htmx:responseError", (event) => {
  const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  say(page.querySelector("[role=alert]")?.textContent ?? `The service answered ${event.detail.xhr.status}.`);
});
document.addEventListener("htmx:sendError", () => say("The connection was lost."));
document.addEventListener("htmx:afterSettle", () => begin(document));

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

// Times: "5 min ago" stays true, the tooltip shows the reader's own clock too.
const steps = [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"], [30 * 86400, 86400, "d"]];
const local = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
function tell() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime), seconds = (Date.now() - at) / 1000, away = Math.abs(seconds);
    const step = steps.find(([below]) => away < below);
    if (!time.dataset.local) { time.title = `${time.title || ""}\n${local.format(at)}`.trim(); time.dataset.local = "1"; }
    if (!step) continue;
    const count = `${Math.floor(away / step[1])} ${step[2]}`;
    time.textContent = away < 5 ? "just now" : seconds > 0 ? `${count} ago` : `in ${count}`;
  }
}
setInterval(tell, 15000);

/** Rows and columns as they are seen; a cell that spans stands in its first place, the others are empty. */
export function csvOf(table) {
  const grid = [...table.rows].map(() => []);
  for (const [y, row] of [...table.rows].entries()) {
    let x = 0;
    for (const cell of row.cells) {
      while (grid[y][x] !== undefined) x += 1;
      for (let down = 0; down < cell.rowSpan && y + down < grid.length; down += 1)
        for (let right = 0; right < cell.colSpan; right += 1) grid[y + down][x + right] = down || right ? "" : cell.innerText.trim();
      x += cell.colSpan;
    }
  }
  const quoted = (text = "") => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return grid.map((row) => Array.from(row, quoted).join(",")).join("\r\n");
}

document.addEventListener("click", async (event) => {
  const copy = event.target.closest("[data-copy]");
  if (copy) {
    await navigator.clipboard.writeText(document.getElementById(copy.dataset.copy).textContent.trim()).then(() => say("Copied."), () => say("Not copied: the browser refused."));
    return;
  }
  const part = event.target.closest("[data-copy-part]")?.closest("li");
  if (part) {
    const table = part.querySelector("table");
    await navigator.clipboard.writeText(table ? csvOf(table) : part.querySelector("p")?.textContent ?? "").then(() => say(table ? "Copied as CSV." : "Copied."), () => say("Not copied: the browser refused."));
    return;
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

// Lists: a filter that is changed is used at once; the box of the head ticks all, and what is ticked is counted.
document.addEventListener("change", (event) => {
  if (event.target.closest("[data-auto]") && event.target.matches("select, input[type=date]")) event.target.form.requestSubmit();
  if (event.target.matches("[data-all]")) for (const box of document.querySelectorAll(".pick:not([data-all])")) box.checked = event.target.checked;
  const count = document.getElementById("picked");
  if (count) count.textContent = document.querySelectorAll(".pick:not([data-all]):checked").length;
});

// Keys that every page knows.
const places = { d: "/ui", o: "/ui/overview", j: "/ui/jobs", r: "/ui/review", f: "/ui/dead-letters", u: "/ui/upload", s: "/ui/sources", w: "/ui/webhooks", a: "/ui/audit" };
let going = 0;
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
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

function begin(root) {
  for (const copy of root.querySelectorAll("[data-copy], [data-copy-part]")) copy.hidden = !navigator.clipboard;
  tell();
  follow();
}
begin(document);
