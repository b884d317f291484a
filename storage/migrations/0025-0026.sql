-- From 0.13.0.

create index tasks_running on tasks (tenant) where state = 'running';
create index documents_long on documents (tenant, org, source_file, id)
  where pages >= 20 and status = 'succeeded' and deleted_at is null;
