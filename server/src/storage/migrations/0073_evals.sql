-- Evals: cases and graders for an agent, a Brain or a corpus. `target_brain`: the id of the Brain that an eval is about, whose
-- end deletes it.
create table evals (
  organization_id text not null,
  id text not null,
  version integer not null,
  target_brain text,
  created_at timestamptz not null,
  archived_at timestamptz,
  primary key (organization_id, id)
);
create index evals_by_brain on evals (organization_id, target_brain) where target_brain is not null;

-- The definition of an eval in each of its versions, without its cases: written once and never changed.
create table eval_versions (
  organization_id text not null,
  eval_id text not null,
  version integer not null,
  definition json not null,
  cases integer not null,
  created_at timestamptz not null,
  created_by json not null,
  primary key (organization_id, eval_id, version)
);

-- The cases of an eval, each in the versions from `from_version` to before `to_version`.
create table eval_cases (
  organization_id text not null,
  eval_id text not null,
  id text collate "C" not null,
  from_version integer not null,
  to_version integer,
  content json not null,
  primary key (organization_id, eval_id, id, from_version)
);

-- Runs of evals. `pinned`: what is read, at which state, and the versions of rubrics. `next_case`: the last case that was begun.
create table eval_runs (
  organization_id text not null,
  id text not null,
  eval_id text not null,
  eval_version integer not null,
  state text not null,
  target json not null,
  pinned json not null,
  agent_version integer,
  trials integer not null,
  cases integer not null,
  done integer not null default 0,
  passed integer not null default 0,
  next_case text collate "C" not null default '',
  started_by json not null,
  baseline_id text,
  baseline json,
  summary json,
  waiting text,
  failure_reason text,
  waits integer not null default 0,
  due_at timestamptz,
  lease text,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (organization_id, id)
);
create index eval_runs_by_eval on eval_runs (organization_id, eval_id, id);
create index eval_runs_due on eval_runs (organization_id, due_at) where due_at is not null;
create index eval_runs_completed on eval_runs (completed_at) where completed_at is not null;

-- What came of the cases of a run. `pending`: the runs of judges that are under way, by the names of their graders.
create table eval_results (
  organization_id text not null,
  eval_run_id text not null,
  case_id text collate "C" not null,
  trial integer not null,
  state text not null,
  run_id text,
  receipts json,
  output text,
  error text,
  grades json not null default '[]',
  pending json,
  passed boolean,
  score double precision,
  cost_nanodollars bigint not null default 0,
  milliseconds integer,
  baseline_passed boolean,
  is_flipped boolean not null default false,
  primary key (organization_id, eval_run_id, case_id, trial)
);
create index eval_results_open on eval_results (organization_id, eval_run_id) where state <> 'done';

-- The Brains whose content may be in the results of a run of an eval.
create table eval_run_brains (
  brain_id bigint not null,
  organization_id text not null,
  eval_run_id text not null,
  primary key (brain_id, organization_id, eval_run_id)
);
create index eval_run_brains_by_run on eval_run_brains (organization_id, eval_run_id);
