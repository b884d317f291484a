// Uploads what is dropped or chosen, then follows the job until it ends. Everything shown is text, never markup.
"use strict";

const root = document.body.dataset.root;
const drop = document.getElementById("drop");
const said = document.getElementById("upload-status");
const bar = document.getElementById("upload-progress");
const list = document.getElementById("upload-files");

function explain(answer, body) {
  const detail = typeof body.detail === "string" ? body.detail : (body.detail || []).map((one) => one.msg).join("; ");
  return detail || `The upload was refused (${answer.status}).`;
}

function show(job) {
  const rows = [...job.documents, ...job.pending].map((one) => {
    const row = document.createElement("li");
    const pages = one.pages_total ? ` ${one.pages_done} of ${one.pages_total} pages` : "";
    row.textContent = `${one.source_file}: ${one.status}${pages}${one.error ? ` (${one.error})` : ""}`;
    return row;
  });
  list.replaceChildren(...rows);
  const total = job.documents.length + job.pending.length;
  bar.value = job.pages_total ? (job.documents.length / total + job.pages_done / job.pages_total) / 2 : job.documents.length / total;
}

async function follow(jobId) {
  for (;;) {
    const answer = await fetch(`${root}/api/jobs/${jobId}`, { headers: { Accept: "application/json" } });
    if (answer.ok) {
      const job = await answer.json();
      show(job);
      if (!job.pending.length) return job.status;
    } else if (answer.status !== 502 && answer.status !== 503) {
      throw new Error(`The job cannot be followed (${answer.status}).`);
    }
    await new Promise((go) => setTimeout(go, 700));
  }
}

async function send(files) {
  if (!files.length) return;
  const form = new FormData();
  for (const file of files) form.append("files", file, file.name);
  said.textContent = `Sending ${files.length === 1 ? files[0].name : `${files.length} files`} …`;
  bar.hidden = false;
  bar.removeAttribute("value");
  try {
    const headers = { "X-CSRF-Token": document.body.dataset.csrf, Accept: "application/json" };
    const answer = await fetch(`${root}/api/jobs`, { method: "POST", body: form, headers });
    const body = await answer.json();
    if (!answer.ok) throw new Error(explain(answer, body));
    said.textContent = "Reading …";
    const status = await follow(body.id);
    said.textContent = `Done: ${status}.`;
    setTimeout(() => location.reload(), 1200);
  } catch (error) {
    bar.hidden = true;
    said.textContent = error.message;
  }
}

if (drop) {
  const input = document.getElementById("files");
  input.addEventListener("change", () => send([...input.files]));
  drop.addEventListener("submit", (event) => event.preventDefault());
  for (const kind of ["dragenter", "dragover"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const kind of ["dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => { event.preventDefault(); drop.classList.remove("over"); });
  }
  drop.addEventListener("drop", (event) => send([...event.dataTransfer.files]));
}
