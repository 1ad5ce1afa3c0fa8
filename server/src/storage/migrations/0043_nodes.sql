-- The nodes of the service, as each tells of itself now and then. One that has not for long is gone.
create table nodes (
  id text primary key,
  version text not null,
  roles text[] not null,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  disk_free bigint,
  disk_total bigint,
  workers json not null
);
