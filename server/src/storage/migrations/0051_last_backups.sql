-- The newest backup of each kind that Noema made of this database: a file of all rows, or a base backup of the built-in database.
-- What was written before made_at is in it.
create table last_backups (
  kind text primary key check (kind in ('file', 'base')),
  made_at timestamptz not null,
  bytes bigint not null
);
