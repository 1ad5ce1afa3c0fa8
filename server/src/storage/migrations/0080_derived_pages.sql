-- Documents that agents keep up to date. `used`: the versions that the last run read, as [type, id, version]. `examined_position`: how
-- far the stream was compared with them. `next_position`: the end of the stream when the run began that writes it now, or wrote the
-- change that waits. `revision` counts the runs.
create table derived_pages (
  brain_id bigint not null,
  document_id text collate "C" not null,
  id text not null,
  agent_id text not null,
  question text,
  addresses json,
  set_by json not null,
  updated_at timestamptz not null,
  used json not null default '[]',
  examined_position bigint not null,
  next_position bigint,
  revision integer not null default 0,
  lineage json not null default '[]',
  reason text,
  run_id text,
  is_running boolean not null default false,
  change_id text,
  paused_reason text,
  failures integer not null default 0,
  due_at timestamptz,
  primary key (brain_id, document_id)
) with (fillfactor = 50);
create index derived_pages_due on derived_pages (brain_id, due_at) where due_at is not null;

-- The rewrites of derived pages. `lineage`: the pages whose rewrites led to it, and itself.
create table derived_rewrites (
  brain_id bigint not null,
  change_id text not null,
  document_id text collate "C" not null,
  run_id text not null,
  reason text not null,
  lineage json not null,
  at timestamptz not null,
  primary key (brain_id, change_id)
);
create index derived_rewrites_by_page on derived_rewrites (brain_id, document_id, change_id);
