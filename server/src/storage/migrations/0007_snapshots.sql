-- Snapshots of sources: what a source holds, and the plan of what its documents become.
-- A snapshot that was applied keeps its row, which holds its answer; items are dropped after some days.

create table snapshots (
  brain_id bigint not null,
  id text not null,
  source_name text not null,
  status text not null check (status in ('open', 'planned', 'unchanged', 'applied')),
  complete boolean not null,
  plan_revision integer not null,
  add_count integer not null,
  update_count integer not null,
  retire_count integer not null,
  unchanged_count integer not null,
  conflict_count integer not null,
  served_count integer not null,
  created_at timestamptz not null,
  planned_at timestamptz not null,
  applied_at timestamptz,
  -- What an apply wrote, as a hash, and the change that it staged.
  plan_hash text,
  review_change text,
  answer_status integer,
  answer text,
  keeps_items boolean not null default true,
  primary key (brain_id, id)
);
create index snapshots_source on snapshots (brain_id, source_name, id);
create index snapshots_to_forget on snapshots (planned_at) where keeps_items;

-- details is the document without its text; base_version the version that the plan found served.
-- Texts are dropped as soon as nothing can need them. A document that is to be retired has neither.
create table snapshot_items (
  brain_id bigint not null,
  snapshot text not null,
  id text not null,
  op text not null check (op in ('add', 'update', 'retire', 'unchanged', 'conflict')),
  title text,
  base_version integer,
  other_source text,
  hash text,
  length integer not null default 0,
  details json,
  text text,
  primary key (brain_id, snapshot, id)
);
create index snapshot_items_op on snapshot_items (brain_id, snapshot, op, id);
