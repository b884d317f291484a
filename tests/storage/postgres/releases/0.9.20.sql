-- The schema of 0.9.20 (pg_dump of a database that its migrations made, without comments and settings).
SELECT pg_catalog.set_config('search_path', '', false);
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.api_keys (
    digest bytea NOT NULL,
    name text NOT NULL,
    scope text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    revoked_at timestamp with time zone
);
CREATE TABLE public.audit (
    entry bigint NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    seq bigint,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object text NOT NULL,
    request_id text,
    result text NOT NULL,
    prev_hash bytea,
    hash bytea
);
ALTER TABLE public.audit ALTER COLUMN entry ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_entry_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.audit_heads (
    tenant text NOT NULL,
    org text NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    hash bytea NOT NULL
);
CREATE TABLE public.console_accounts (
    id text NOT NULL,
    email text NOT NULL,
    password text NOT NULL,
    tenant_id text NOT NULL,
    failures bigint DEFAULT 0 NOT NULL,
    locked_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    approved_at timestamp with time zone
);
CREATE TABLE public.console_documents (
    document_id text NOT NULL,
    submission_id text NOT NULL,
    job_id text NOT NULL,
    tenant_id text NOT NULL,
    org text NOT NULL,
    alias text NOT NULL,
    source_file text NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    pages bigint DEFAULT 0 NOT NULL,
    chunks bigint DEFAULT 0 NOT NULL,
    event_id text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone
);
CREATE TABLE public.console_links (
    digest bytea NOT NULL,
    account_id text NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
CREATE TABLE public.console_plans (
    name text NOT NULL,
    monthly_pages bigint,
    concurrent_documents bigint DEFAULT 20 NOT NULL,
    retention_days bigint
);
CREATE TABLE public.console_sessions (
    digest bytea NOT NULL,
    account_id text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    id text NOT NULL,
    agent text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.console_submissions (
    id text NOT NULL,
    tenant_id text NOT NULL,
    org text NOT NULL,
    route text NOT NULL,
    engine_key text NOT NULL,
    digest text NOT NULL,
    state text DEFAULT 'sending'::text NOT NULL,
    n_total bigint DEFAULT 0 NOT NULL,
    n_open bigint DEFAULT 0 NOT NULL,
    job_id text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    look_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    ended_at timestamp with time zone
);
CREATE TABLE public.console_tenants (
    id text NOT NULL,
    plan text DEFAULT 'free'::text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    closed_at timestamp with time zone
);
CREATE TABLE public.console_tokens (
    id text NOT NULL,
    tenant_id text NOT NULL,
    name text NOT NULL,
    digest bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    revoked_at timestamp with time zone
);
CREATE TABLE public.console_usage (
    tenant_id text NOT NULL,
    month date NOT NULL,
    documents bigint DEFAULT 0 NOT NULL,
    pages bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.decisions (
    document_id text NOT NULL,
    place text NOT NULL,
    flag text NOT NULL,
    decision text NOT NULL,
    decided_by text NOT NULL,
    decided_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.deliveries (
    seq bigint NOT NULL,
    id text NOT NULL,
    webhook_id text NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    event text NOT NULL,
    event_id text NOT NULL,
    body bytea,
    state text DEFAULT 'pending'::text NOT NULL,
    attempt bigint DEFAULT 0 NOT NULL,
    fence bigint DEFAULT 0 NOT NULL,
    worker text,
    response_status bigint,
    error text,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    delivered_at timestamp with time zone,
    next_attempt_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
ALTER TABLE public.deliveries ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.deliveries_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.documents (
    id text NOT NULL,
    job_id text NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    key_name text NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    source_file text NOT NULL,
    sha256 text,
    bytes bigint DEFAULT 0 NOT NULL,
    format text,
    options jsonb DEFAULT '{}'::jsonb NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    run bigint DEFAULT 1 NOT NULL,
    attempt bigint DEFAULT 0 NOT NULL,
    attempts bigint DEFAULT 0 NOT NULL,
    published_attempt bigint,
    manifest jsonb,
    error text,
    error_detail text,
    pages bigint,
    chunks bigint,
    route_counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    confidence double precision,
    reserved_pages bigint DEFAULT 0 NOT NULL,
    reserved_month date,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    deleted_at timestamp with time zone,
    chunker text
);
CREATE TABLE public.events (
    seq bigint NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    job_id text NOT NULL,
    document_id text,
    run bigint DEFAULT 1 NOT NULL,
    body bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    fanned_out boolean DEFAULT false NOT NULL
);
ALTER TABLE public.events ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.flags (
    document_id text NOT NULL,
    attempt bigint NOT NULL,
    block_id text NOT NULL,
    flag text NOT NULL,
    place text NOT NULL,
    page bigint DEFAULT 0 NOT NULL,
    block_order bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.idempotency_keys (
    tenant text NOT NULL,
    org text NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    digest text NOT NULL,
    job_id text NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.index_requests (
    id bigint NOT NULL,
    reason text NOT NULL
);
ALTER TABLE public.index_requests ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.index_requests_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.jobs (
    id text NOT NULL,
    seq bigint NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    key_name text NOT NULL,
    kind text DEFAULT 'jobs'::text NOT NULL,
    n_total bigint DEFAULT 0 NOT NULL,
    n_queued bigint DEFAULT 0 NOT NULL,
    n_running bigint DEFAULT 0 NOT NULL,
    n_succeeded bigint DEFAULT 0 NOT NULL,
    n_failed bigint DEFAULT 0 NOT NULL,
    n_canceled bigint DEFAULT 0 NOT NULL,
    status text GENERATED ALWAYS AS (
CASE
    WHEN ((n_queued = n_total) AND (n_total > 0)) THEN 'queued'::text
    WHEN ((n_queued + n_running) > 0) THEN 'running'::text
    WHEN (n_succeeded = n_total) THEN 'succeeded'::text
    WHEN (n_failed = n_total) THEN 'failed'::text
    WHEN (n_canceled = n_total) THEN 'canceled'::text
    ELSE 'partial'::text
END) STORED NOT NULL,
    epoch bigint DEFAULT 1 NOT NULL,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    deleted_at timestamp with time zone
);
ALTER TABLE public.jobs ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.jobs_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.meter (
    document_id text NOT NULL,
    run bigint NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    key_name text NOT NULL,
    month date NOT NULL,
    pages bigint DEFAULT 0 NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE UNLOGGED TABLE public.page_progress (
    document_id text NOT NULL,
    pages_done bigint DEFAULT 0 NOT NULL,
    pages_total bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.purges (
    document_id text NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    sha256 text,
    requested_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    tries bigint DEFAULT 0 NOT NULL,
    not_before timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.quota (
    month date NOT NULL,
    used bigint DEFAULT 0 NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.quota_deltas (
    seq bigint NOT NULL,
    month date NOT NULL,
    used bigint DEFAULT 0 NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.quota_deltas ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.quota_deltas_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE UNLOGGED TABLE public.rate_limits (
    bucket text NOT NULL,
    empty_at timestamp with time zone NOT NULL
);
CREATE TABLE public.role_leases (
    role text NOT NULL,
    holder text,
    fence bigint DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone
);
CREATE TABLE public.source_files (
    source_id text NOT NULL,
    path text NOT NULL,
    mark text NOT NULL,
    sha256 text NOT NULL,
    document_id text NOT NULL
);
CREATE TABLE public.source_retired (
    document_id text NOT NULL,
    source_id text NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL
);
CREATE TABLE public.sources (
    id text NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    key_name text NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    location text NOT NULL,
    include text[] NOT NULL,
    exclude text[] NOT NULL,
    every_minutes bigint,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    last_sync jsonb,
    synced_at timestamp with time zone,
    fence bigint DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    wanted_at timestamp with time zone,
    sync_error text
);
CREATE TABLE public.tasks (
    document_id text NOT NULL,
    job_id text NOT NULL,
    tenant text NOT NULL,
    priority bigint DEFAULT 0 NOT NULL,
    vtime double precision NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    phase text,
    attempt bigint DEFAULT 0 NOT NULL,
    starts bigint DEFAULT 0 NOT NULL,
    lapses bigint DEFAULT 0 NOT NULL,
    worker text,
    lease_until timestamp with time zone,
    available_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    enqueued_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    traceparent text
)
WITH (fillfactor='70', autovacuum_vacuum_scale_factor='0.01');
CREATE TABLE public.watermarks (
    name text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
CREATE TABLE public.webhooks (
    id text NOT NULL,
    tenant text NOT NULL,
    org text NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    secret bytea NOT NULL,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    disabled_at timestamp with time zone,
    old_secret bytea,
    old_secret_until timestamp with time zone
);
INSERT INTO public.alembic_version VALUES ('0007');
INSERT INTO public.console_plans VALUES ('free', 200, 20, 7);
INSERT INTO public.console_plans VALUES ('standard', NULL, 20, NULL);
SELECT pg_catalog.setval('public.audit_entry_seq', 1, false);
SELECT pg_catalog.setval('public.deliveries_seq_seq', 1, false);
SELECT pg_catalog.setval('public.events_seq_seq', 1, false);
SELECT pg_catalog.setval('public.index_requests_id_seq', 1, false);
SELECT pg_catalog.setval('public.jobs_seq_seq', 1, false);
SELECT pg_catalog.setval('public.quota_deltas_seq_seq', 1, false);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.audit_heads
    ADD CONSTRAINT audit_heads_pkey PRIMARY KEY (tenant, org);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (entry);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_tenant_org_seq_key UNIQUE (tenant, org, seq);
ALTER TABLE ONLY public.console_accounts
    ADD CONSTRAINT console_accounts_email_key UNIQUE (email);
ALTER TABLE ONLY public.console_accounts
    ADD CONSTRAINT console_accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.console_documents
    ADD CONSTRAINT console_documents_alias_key UNIQUE (alias);
ALTER TABLE ONLY public.console_documents
    ADD CONSTRAINT console_documents_event_id_key UNIQUE (event_id);
ALTER TABLE ONLY public.console_documents
    ADD CONSTRAINT console_documents_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY public.console_links
    ADD CONSTRAINT console_links_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.console_plans
    ADD CONSTRAINT console_plans_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_id_key UNIQUE (id);
ALTER TABLE ONLY public.console_sessions
    ADD CONSTRAINT console_sessions_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.console_submissions
    ADD CONSTRAINT console_submissions_job_id_key UNIQUE (job_id);
ALTER TABLE ONLY public.console_submissions
    ADD CONSTRAINT console_submissions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.console_submissions
    ADD CONSTRAINT console_submissions_tenant_id_org_route_engine_key_key UNIQUE (tenant_id, org, route, engine_key);
ALTER TABLE ONLY public.console_tenants
    ADD CONSTRAINT console_tenants_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.console_tokens
    ADD CONSTRAINT console_tokens_digest_key UNIQUE (digest);
ALTER TABLE ONLY public.console_tokens
    ADD CONSTRAINT console_tokens_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.console_usage
    ADD CONSTRAINT console_usage_pkey PRIMARY KEY (tenant_id, month);
ALTER TABLE ONLY public.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (document_id, place, flag);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_id_key UNIQUE (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_webhook_id_event_id_key UNIQUE (webhook_id, event_id);
ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_id_key UNIQUE (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.flags
    ADD CONSTRAINT flags_pkey PRIMARY KEY (document_id, attempt, block_id, flag);
ALTER TABLE ONLY public.idempotency_keys
    ADD CONSTRAINT idempotency_keys_pkey PRIMARY KEY (tenant, org, route, key);
ALTER TABLE ONLY public.index_requests
    ADD CONSTRAINT index_requests_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_seq_key UNIQUE (seq);
ALTER TABLE ONLY public.meter
    ADD CONSTRAINT meter_pkey PRIMARY KEY (document_id, run);
ALTER TABLE ONLY public.page_progress
    ADD CONSTRAINT page_progress_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY public.purges
    ADD CONSTRAINT purges_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY public.quota_deltas
    ADD CONSTRAINT quota_deltas_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.quota
    ADD CONSTRAINT quota_pkey PRIMARY KEY (month);
ALTER TABLE ONLY public.rate_limits
    ADD CONSTRAINT rate_limits_pkey PRIMARY KEY (bucket);
ALTER TABLE ONLY public.role_leases
    ADD CONSTRAINT role_leases_pkey PRIMARY KEY (role);
ALTER TABLE ONLY public.source_files
    ADD CONSTRAINT source_files_pkey PRIMARY KEY (source_id, path);
ALTER TABLE ONLY public.source_retired
    ADD CONSTRAINT source_retired_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY public.sources
    ADD CONSTRAINT sources_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (document_id);
ALTER TABLE ONLY public.watermarks
    ADD CONSTRAINT watermarks_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
CREATE INDEX audit_unsealed ON public.audit USING btree (entry) WHERE (hash IS NULL);
CREATE INDEX console_documents_by_submission ON public.console_documents USING btree (submission_id);
CREATE INDEX console_documents_by_tenant ON public.console_documents USING btree (tenant_id, created_at, document_id);
CREATE INDEX console_submissions_due ON public.console_submissions USING btree (look_at) WHERE (state = ANY (ARRAY['sending'::text, 'open'::text]));
CREATE INDEX console_submissions_ended ON public.console_submissions USING btree (ended_at) WHERE (state = 'ended'::text);
CREATE INDEX console_submissions_open ON public.console_submissions USING btree (tenant_id) WHERE (state = ANY (ARRAY['sending'::text, 'open'::text]));
CREATE INDEX console_tokens_by_tenant ON public.console_tokens USING btree (tenant_id, created_at);
CREATE INDEX deliveries_by_tenant ON public.deliveries USING btree (tenant, org, seq);
CREATE INDEX deliveries_due ON public.deliveries USING btree (webhook_id, next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX documents_by_blob ON public.documents USING btree (sha256);
CREATE INDEX documents_by_job ON public.documents USING btree (job_id, "position");
CREATE INDEX documents_dead ON public.documents USING btree (tenant, org, finished_at, id) WHERE (status = 'failed'::text);
CREATE INDEX events_by_job ON public.events USING btree (job_id);
CREATE UNIQUE INDEX events_once_document ON public.events USING btree (document_id, run) WHERE (document_id IS NOT NULL);
CREATE UNIQUE INDEX events_once_job ON public.events USING btree (job_id, run) WHERE (document_id IS NULL);
CREATE INDEX events_to_fan_out ON public.events USING btree (seq) WHERE (NOT fanned_out);
CREATE INDEX jobs_by_status ON public.jobs USING btree (tenant, org, status, seq);
CREATE INDEX jobs_by_tenant ON public.jobs USING btree (tenant, org, seq);
CREATE INDEX meter_by_month ON public.meter USING btree (month, tenant);
CREATE INDEX sources_by_tenant ON public.sources USING btree (tenant, org);
CREATE INDEX tasks_by_tenant ON public.tasks USING btree (tenant, priority, vtime);
CREATE INDEX tasks_leased ON public.tasks USING btree (lease_until) WHERE (state = 'running'::text);
CREATE INDEX tasks_ready ON public.tasks USING btree (priority, vtime) WHERE (state = 'queued'::text);
CREATE INDEX webhooks_by_tenant ON public.webhooks USING btree (tenant, org);
