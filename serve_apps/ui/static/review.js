// Review by keyboard: j/k move, a approves, r rejects, u goes back to the last decision, n opens the next document.
import { ask, csrf, isTyping, say } from "./app.js";

const items = [...document.querySelectorAll("#flags > li")];
const sheets = [...document.querySelectorAll(".sheet")];
const onward = document.getElementById("onward");
const paper = document.querySelector(".paper");
const LAST = "last-decision"; // where u goes from a document in which nothing was decided yet
const decided = [];
let at = -1;

function select(index, focus = true) {
  const item = items[index];
  if (!item) return;
  at = index;
  for (const old of document.querySelectorAll(".selected")) old.classList.remove("selected");
  item.classList.add("selected");
  for (const sheet of sheets) sheet.hidden = sheet.dataset.page !== item.dataset.page;
  const ahead = sheets[sheets.findIndex((sheet) => !sheet.hidden) + 1]?.querySelector("img");
  if (ahead) ahead.loading = "eager"; // the next page is there before it is asked for
  const rects = document.querySelectorAll(`rect[data-block="${CSS.escape(item.dataset.block)}"]`);
  for (const rect of rects) rect.classList.add("selected");
  if (focus) item.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest" });
  show(rects[0]);
}

function show(rect) {
  if (!rect || getComputedStyle(paper).overflowY !== "auto") return;
  const box = rect.getBoundingClientRect(), frame = paper.getBoundingClientRect();
  if (box.top < frame.top || box.bottom > frame.bottom) paper.scrollBy({ top: box.top - frame.top - frame.height / 3 });
}

const isOpen = (item) => !item.classList.contains("done");

async function decide(index, decision) {
  const item = items[index];
  if (!item?.querySelector(".decide")) return false;
  const answer = await fetch(item.dataset.url, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-CSRF-Token": csrf },
    body: JSON.stringify({ flag: item.dataset.flag, decision }),
  }).catch(() => null);
  if (!answer?.ok) {
    if (answer?.status === 401) location.reload();
    say(answer ? `Not saved: the service answered ${answer.status}.` : "Not saved: the connection was lost.");
    return false;
  }
  const state = item.querySelector(".state"), word = decision[0].toUpperCase() + decision.slice(1);
  state.className = `state chip ${decision}`;
  state.textContent = word;
  state.hidden = false;
  item.classList.add("done");
  count();
  decided.push(index);
  sessionStorage.setItem(LAST, `${location.pathname}#${item.id}`);
  say(`${word}: ${item.querySelector(".chip.flag").textContent}`);
  return true;
}

function count() {
  const done = items.filter((item) => !isOpen(item)).length;
  document.getElementById("decided").textContent = done;
  document.querySelector(".review-bar progress").value = done;
}

async function decideAndGoOn(index, decision) {
  if (!(await decide(index, decision))) return;
  const next = [...items.keys()].map((step) => (index + 1 + step) % items.length).find((one) => isOpen(items[one]));
  if (next !== undefined) { select(next); return; }
  if (revisited) { select(index); return; }
  say("Every flag of this document is decided.");
  setTimeout(() => { location.href = onward.href; }, 400);
}

function undo() {
  if (decided.length) { select(decided.pop()); return; }
  const last = sessionStorage.getItem(LAST);
  if (last && !last.startsWith(`${location.pathname}#`)) location.href = last;
}

async function approveRest() {
  if (!document.getElementById("rest") || !(await ask("Approve all that is left in this document?", "Approve"))) return;
  for (const [index, item] of items.entries()) if (isOpen(item) && !(await decide(index, "approved"))) return;
  location.href = onward.href;
}

for (const [index, item] of items.entries()) {
  item.addEventListener("click", (event) => { if (!event.target.closest("button")) select(index, false); });
  item.querySelector(".decide")?.addEventListener("submit", (event) => {
    event.preventDefault();
    queue = queue.then(() => decideAndGoOn(index, event.submitter.value));
  });
}

let queue = Promise.resolve();
const acts = {
  j: () => select(Math.min(at + 1, items.length - 1)),
  k: () => select(Math.max(at - 1, 0)),
  a: () => decideAndGoOn(at, "approved"),
  r: () => decideAndGoOn(at, "rejected"),
  u: undo,
  n: () => { location.href = onward.href; },
  A: approveRest,
};
document.addEventListener("keydown", (event) => {
  const act = isTyping(event) ? undefined : acts[event.key];
  if (!act) return;
  event.preventDefault();
  queue = queue.then(act); // quick fingers: one decision after the other
});

const named = items.findIndex((item) => item.id === location.hash.slice(1));
const revisited = items.length > 0 && !items.some(isOpen); // nothing waits: whoever comes wants to look or to change
if (items.length) select(named >= 0 ? named : Math.max(0, items.findIndex(isOpen)));
