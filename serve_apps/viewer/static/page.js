// What every page for people has, here and in the console: saying, asking, times, copying, menus. Pages work without it.
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

document.addEventListener("htmx:responseError", (event) => {
  const page = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html");
  say(page.querySelector("[role=alert]")?.textContent ?? `The service answered ${event.detail.xhr.status}.`);
});
document.addEventListener("htmx:sendError", () => say("The connection failed."));
// Times: "5 min ago" stays true; dates are in the reader's language and by the reader's clock, the tooltip in UTC too.
const steps = [[60, 1, "s"], [3600, 60, "min"], [86400, 3600, "h"], [30 * 86400, 86400, "d"]];
const local = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" }), full = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
function updateTimes() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime), seconds = (Date.now() - at) / 1000, away = Math.abs(seconds);
    const step = steps.find(([below]) => away < below);
    if (!time.dataset.local && (time.matches("[data-full]") || !step)) time.textContent = (time.matches("[data-full]") ? full : day).format(at);
    if (!time.dataset.local) { time.title = `${time.title || ""}\n${local.format(at)}`.trim(); time.dataset.local = "1"; }
    if (!step || time.matches("[data-full]")) continue;
    const count = `${Math.floor(away / step[1])} ${step[2]}`;
    time.textContent = away < 5 ? "just now" : seconds > 0 ? `${count} ago` : `in ${count}`;
  }
}
setInterval(updateTimes, 15000);

/** A text that a spreadsheet would take for a formula is quoted as text; a number with a sign stays one. */
function tamed(text) {
  return /^[=+\-@\t\r|%＝＋－＠]/.test(text) && !/^[+-]?[\d.,\s\u202f\u00a0]*\d[.,]?\s?[%€$£]?$/.test(text) ? `'${text}` : text;
}

/** Rows and columns as they are seen, without letters and numbers of a sheet; a cell that spans stands in its first place, the others are empty. */
export function csvOf(table) {
  const rows = [...table.rows].filter((row) => !row.matches(".frame")), grid = rows.map(() => []);
  for (const [y, row] of rows.entries()) {
    let x = 0;
    for (const cell of row.querySelectorAll(":scope > :not(.frame)")) {
      while (grid[y][x] !== undefined) x += 1;
      for (let down = 0; down < cell.rowSpan && y + down < grid.length; down += 1)
        for (let right = 0; right < cell.colSpan; right += 1) grid[y + down][x + right] = down || right ? "" : tamed(cell.innerText.trim());
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
  const part = event.target.closest("[data-copy-part]")?.closest("li, section");
  if (part) {
    const table = part.querySelector("table");
    await navigator.clipboard.writeText(table ? csvOf(table) : part.querySelector("p")?.textContent ?? "").then(() => say(table ? "Copied as CSV." : "Copied."), () => say("Not copied: the browser refused."));
    return;
  }
  for (const menu of document.querySelectorAll("details.menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = false;
}, true);

/** Lets the whole page take dropped files for a form. */
export function takeDrops(form, take) {
  let depth = 0;
  const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragenter", (event) => { if (carriesFiles(event)) { depth += 1; form.classList.add("over"); } });
  document.addEventListener("dragleave", (event) => { if (carriesFiles(event) && --depth <= 0) { depth = 0; form.classList.remove("over"); } });
  document.addEventListener("dragover", (event) => { if (carriesFiles(event)) event.preventDefault(); });
  document.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    form.classList.remove("over");
    take([...event.dataTransfer.files]);
  });
}

function begin() {
  for (const copy of document.querySelectorAll("[data-copy], [data-copy-part]")) copy.hidden = !navigator.clipboard;
  updateTimes();
}
document.addEventListener("htmx:afterSettle", begin);
begin();
