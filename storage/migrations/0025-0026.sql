-- From 0.13.0.

create index tasks_running on tasks (tenant) where state = 'running';
