-- From 0.10.0 to 0.11.0.

create table schemas (
  tenant text not null, org text not null, name text not null, version bigint not null, body text not null,
  created_by text not null, created_at timestamptz default clock_timestamp() not null,
  primary key (tenant, org, name, version)
);
create table schema_labels (
  tenant text not null, org text not null, name text not null, path text not null, label text not null,
  taught_by text not null, taught_at timestamptz default clock_timestamp() not null,
  primary key (tenant, org, name, path, label)
);
create table schema_corrections (
  tenant text not null, org text not null, name text not null, document_id text not null, path text not null,
  block_id text not null, cell bigint, start_at bigint not null, end_at bigint not null, verbatim text not null,
  corrected_by text not null, primary key (tenant, org, name, document_id, path)
);
create index schema_corrections_by_document on schema_corrections (document_id);
create table model_answers (
  document_id text not null, digest text not null, answer text not null,
  answered_at timestamptz default clock_timestamp() not null, primary key (document_id, digest)
);
alter table jobs add extract_schema text;

alter table source_retired add successor text;
create index source_retired_by_successor on source_retired (successor) where successor is not null;

alter table documents add principals text[], add searched_attempt bigint;
create index documents_restricted on documents (tenant, org) where deleted_at is null and principals is not null;
alter table sources add access jsonb default '[]' not null;

create table targets (
  id text primary key, tenant text not null, org text not null, name text not null, kind text not null,
  settings jsonb default '{}' not null, secret bytea, paused boolean default false not null,
  created_at timestamptz default clock_timestamp() not null, fence bigint default 0 not null, lease_until timestamptz,
  claimed_at timestamptz, failures bigint default 0 not null, error text, failing_since timestamptz,
  next_attempt_at timestamptz default clock_timestamp() not null
);
create index targets_by_tenant on targets (tenant, org);
create table target_documents (
  target_id text not null, document_id text not null, wanted bigint default 1 not null, done bigint default 0 not null,
  wanted_at timestamptz default clock_timestamp() not null, sent_at timestamptz, claims bigint default 0 not null,
  tries bigint default 0 not null, error text, refused_at timestamptz,
  next_attempt_at timestamptz default clock_timestamp() not null, primary key (target_id, document_id)
);
create index target_documents_by_document on target_documents (document_id);
create index target_documents_pending on target_documents (target_id, wanted_at)
  where wanted > done and refused_at is null;
create index target_documents_refused on target_documents (target_id, document_id) where refused_at is not null;

-- An existing database is as old as its first job.
create table deployment (
  id text primary key, created_at timestamptz default clock_timestamp() not null, tick bigint default 0 not null,
  stores jsonb default '{}' not null
);
insert into deployment (id, created_at)
select 'dep_' || replace(gen_random_uuid()::text, '-', ''),
       coalesce((select min(created_at) from jobs), clock_timestamp());

alter table page_progress add phase text, add chunks_done bigint default 0 not null,
  add chunks_total bigint default 0 not null;
