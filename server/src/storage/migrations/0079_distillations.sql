-- Distillations: work over the journals of runs that stages lessons and skills. `brain`: the id of the Brain that gets them.
-- `phase`: reading, wording (by a model) or staging.
create table distillations (
  organization_id text not null,
  id text not null,
  state text not null,
  phase text not null default 'reading',
  brain text not null,
  definition json not null,
  runs integer not null,
  read integer not null default 0,
  found integer not null default 0,
  staged integer not null default 0,
  started_by json not null,
  waiting text,
  failure_reason text,
  waits integer not null default 0,
  due_at timestamptz,
  lease text,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (organization_id, id)
);
create index distillations_due on distillations (organization_id, due_at) where due_at is not null;
create index distillations_completed on distillations (completed_at) where completed_at is not null;

-- The runs that a distillation reads, in this order. `extract`: what was seen in the journal of one; null until it is read.
create table distillation_runs (
  organization_id text not null,
  distillation_id text not null,
  position integer not null,
  run_id text not null,
  extract json,
  primary key (organization_id, distillation_id, position)
);
create index distillation_runs_unread on distillation_runs (organization_id, distillation_id, position)
  where extract is null;

-- What a distillation found. `item`: the id of the record or the name of the skill, `content` what is staged of it.
create table distillation_items (
  organization_id text not null,
  distillation_id text not null,
  number integer not null,
  brain text not null,
  type text not null,
  item text not null,
  content json not null,
  outcome text not null,
  change_id text,
  note text,
  primary key (organization_id, distillation_id, number)
);
create index distillation_items_by_item on distillation_items (organization_id, brain, item);

-- The Brains whose content may be in what a distillation has seen, and the one that gets it.
create table distillation_brains (
  brain_id bigint not null,
  organization_id text not null,
  distillation_id text not null,
  primary key (brain_id, organization_id, distillation_id)
);
create index distillation_brains_by_distillation on distillation_brains (organization_id, distillation_id);
