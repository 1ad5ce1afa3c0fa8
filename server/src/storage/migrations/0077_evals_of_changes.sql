-- Runs of evals that read with a pending change: which one, and its Brain, whose reviewers alone see the results.
alter table eval_runs add column change_id text;
alter table eval_runs add column change_brain bigint;

-- The results of evals for pending changes. `before_run` and `after_run`: the runs without and with the change; their ids are stored
-- before they are started. `touched`: the items that the change writes, in the versions that were read. `revision` grows with each
-- new request, so that work on an earlier one stores nothing. `due_at`: when there is something to do; null if nothing is.
create table change_evals (
  brain_id bigint not null,
  change_id text collate "C" not null,
  eval_id text collate "C" not null,
  revision integer not null default 0,
  state text not null,
  reason text,
  eval_version integer,
  before_run text,
  after_run text,
  touched json,
  result json,
  override json,
  attempts integer not null default 0,
  waits integer not null default 0,
  due_at timestamptz,
  completed_at timestamptz,
  primary key (brain_id, change_id, eval_id)
);
create index change_evals_due on change_evals (brain_id, due_at) where due_at is not null;
