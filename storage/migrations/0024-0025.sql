-- From 0.12.0.

alter table api_keys add ends_at timestamptz, add configured boolean default false not null;
-- Until now a revoked key of SVC_API_KEYS and a revoked key of this table looked alike; neither lets anyone in.
create table key_uses (digest bytea primary key, used_at timestamptz not null);
create table backups (path text primary key, made_at timestamptz default clock_timestamp() not null);
