-- From 0.9.20 to 0.10.0.

create index documents_by_time on documents (tenant, org, created_at, id) where deleted_at is null;

-- Counters start from the current rows, so that metrics need not count rows.
create table counters (
  name text not null, label text not null, value bigint default '0' not null, primary key (name, label)
);
create table counter_deltas (
  seq bigint generated always as identity primary key, name text not null, label text not null,
  value bigint default '0' not null
);
insert into counters (name, label, value)
select 'documents', status, count(*) from documents where finished_at is not null group by status
union all select 'errors', error, count(*) from documents where error is not null group by error
union all select 'pages', '', sum(pages) from meter having sum(pages) > 0
union all select 'routes', r.key, sum(r.value::bigint) from documents d, jsonb_each_text(d.route_counts) as r
  where r.key in ('fast', 'ocr', 'vlm') group by r.key
union all select 'jobs', status, count(*) from jobs where finished_at is not null group by status
union all select 'deliveries', state, count(*) from deliveries where state <> 'pending' group by state;

alter table flags add value text default '' not null, add confidence float default 1 not null,
  add number bigint default 0 not null, drop constraint flags_pkey,
  add primary key (document_id, attempt, block_id, flag, place);
create table decision_log (
  seq bigint generated always as identity primary key, act text not null, document_id text not null,
  place text not null, flag text not null, decision text not null, decided_by text not null,
  decided_at timestamptz default clock_timestamp() not null, undone boolean default false not null
);
create index decision_log_by_place on decision_log (document_id, place, flag);
create index decision_log_by_act on decision_log (act) where act <> '';
insert into decision_log (act, document_id, place, flag, decision, decided_by, decided_at)
select '', document_id, place, flag, decision, decided_by, decided_at from decisions order by decided_at;

alter table deliveries add attempts jsonb default '[]' not null;

alter table audit enable row level security;
create policy audit_read on audit for select using (true);
create policy audit_add on audit for insert with check (hash is null);
create policy audit_seal on audit for update using (hash is null) with check (true);

alter table documents add parent_document_id text, add path text, add depth bigint default 0 not null,
  add lowest_confidence float, add reading_state text, add reading_decided_by text,
  add reading_decided_at timestamptz, add reader_version bigint;
create index documents_inside on documents (parent_document_id) where parent_document_id is not null;
create index documents_by_doubt on documents (tenant, org, lowest_confidence, id)
  where deleted_at is null and lowest_confidence < 1;
update documents d set reader_version = 0 from jobs j
where j.id = d.job_id and j.kind <> 'ingest' and d.published_attempt is not null;
create index documents_by_reader on documents (reader_version, id)
  where deleted_at is null and reader_version is not null;

alter table console_accounts drop failures, drop locked_until;
