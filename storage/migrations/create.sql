-- What a new database has in addition to the tables of the SQLModel classes.

create table alembic_version (version_num varchar(32) not null constraint alembic_version_pkc primary key);

-- Acts are added and sealed once: a hash is written where it was null. Only the owner of the table may do more.
alter table audit enable row level security;
create policy audit_read on audit for select using (true);
create policy audit_add on audit for insert with check (hash is null);
create policy audit_seal on audit for update using (hash is null) with check (true);

insert into console_plans (name, monthly_pages, concurrent_documents, retention_days)
values ('free', 200, 20, 7), ('standard', null, 20, null);

insert into deployment (id) values ('dep_' || replace(gen_random_uuid()::text, '-', ''));
