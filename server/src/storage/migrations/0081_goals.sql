-- Goals of agents, and their attempts. `stale`: attempts in a row without progress. `advice`: of a person to the next attempt.
-- `due_at`: when a node works on it next; null while it is paused, blocked or over.
create table goals (
  organization_id text not null,
  id text not null,
  agent_id text not null,
  conversation_id text not null,
  objective text not null,
  criteria json not null,
  pinned json not null,
  budget json not null,
  state text not null,
  reason text,
  attempts integer not null default 0,
  stale integer not null default 0,
  best_score double precision not null default 0,
  cost_nanodollars bigint not null default 0,
  advice text,
  task_id text,
  waits integer not null default 0,
  due_at timestamptz,
  lease text,
  created_by json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  completed_at timestamptz,
  primary key (organization_id, id)
);
create index goals_due on goals (organization_id, due_at) where due_at is not null;
create index goals_completed on goals (completed_at) where completed_at is not null;

-- `output`: the answer until its judges have spoken; `pending`: the runs of those judges, by the names of their graders.
create table goal_attempts (
  organization_id text not null,
  goal_id text not null,
  number integer not null,
  run_id text not null,
  state text not null,
  output text,
  error text,
  grades json not null default '[]',
  pending json,
  passed boolean,
  score double precision,
  cost_nanodollars bigint not null default 0,
  milliseconds integer,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (organization_id, goal_id, number)
);
create index goal_attempts_by_run on goal_attempts (organization_id, run_id);
