-- Agents and their runs. Tables of an organization lead their primary key with organization_id, as those of a Brain lead with
-- brain_id. Costs are whole billionths of a dollar, so that adding many small ones loses nothing.

create table projects (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  name text not null,
  is_default boolean not null default false,
  created_at timestamptz not null,
  archived_at timestamptz,
  primary key (organization_id, id)
);
create unique index projects_default on projects (organization_id) where is_default;

-- Whom language models are asked of. The key and the headers are encrypted by the service's own secret.
create table providers (
  organization_id text not null references organization (id) on delete cascade,
  name text not null,
  kind text not null,
  base_url text,
  secret bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  created_by json not null,
  primary key (organization_id, name)
);

-- Servers of the Model Context Protocol, with the tools that each offered when it was last asked. The headers are encrypted.
create table connectors (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  name text not null,
  url text not null,
  secret bytea,
  tools json,
  tools_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  created_by json not null,
  primary key (organization_id, id)
);

create table agents (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  project_id text not null,
  version integer not null,
  created_at timestamptz not null,
  archived_at timestamptz,
  primary key (organization_id, id)
);

-- What an agent is, in each of its versions: written once and never changed, so that a run means the same to its end.
create table agent_versions (
  organization_id text not null references organization (id) on delete cascade,
  agent_id text not null,
  version integer not null,
  definition json not null,
  created_at timestamptz not null,
  created_by json not null,
  primary key (organization_id, agent_id, version)
);

create table conversations (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  agent_id text,
  title text,
  created_at timestamptz not null,
  created_by json not null,
  deleted_at timestamptz,
  primary key (organization_id, id)
);

-- due_at is when somebody must look: null while the run waits for people or for the run before it in its conversation, the
-- end of the lease while a node works on it. Whoever does not hold the lease stores nothing of the run.
-- next_sequence and next_part number operations and parts of the stream; active_milliseconds is how long it worked, waiting
-- left out, up to active_since. failures counts the leases that ended in one operation without an outcome.
create table runs (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  agent_id text not null,
  agent_version integer not null,
  project_id text not null,
  conversation_id text,
  state text not null,
  input json not null,
  metadata json,
  output json,
  failure_reason text,
  failure_category text,
  abandon_reason text,
  input_tokens bigint not null default 0,
  output_tokens bigint not null default 0,
  cost_nanodollars bigint not null default 0,
  is_cost_known boolean not null default true,
  steps integer not null default 0,
  started_by json not null,
  trigger_id text,
  trigger_cursor text,
  schedule_id text,
  parent_run_id text,
  parent_operation_id text,
  depth integer not null default 0,
  lineage json not null default '[]',
  traceparent text,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  active_milliseconds bigint not null default 0,
  active_since timestamptz,
  next_sequence integer not null default 1,
  next_part integer not null default 1,
  failures integer not null default 0,
  due_at timestamptz,
  lease text,
  primary key (organization_id, id)
) with (fillfactor = 50);
create index runs_due on runs (organization_id, due_at) where due_at is not null;
create index runs_by_agent on runs (organization_id, agent_id, id);
create index runs_by_conversation on runs (organization_id, conversation_id, id) where conversation_id is not null;
create index runs_by_state on runs (organization_id, state, id);
create index runs_by_parent on runs (organization_id, parent_run_id) where parent_run_id is not null;
create index runs_finished on runs (completed_at) where completed_at is not null;

-- Idempotency keys of runs. A run is found by its key for as long as it is kept.
create table run_claims (
  organization_id text not null references organization (id) on delete cascade,
  sender text not null,
  key text not null,
  fingerprint bytea not null,
  project_id text not null,
  run_id text not null,
  primary key (organization_id, sender, key)
);
create index run_claims_by_run on run_claims (organization_id, run_id);

-- How many runs were started on a UTC day.
create table run_days (
  organization_id text not null references organization (id) on delete cascade,
  day date not null,
  runs bigint not null,
  primary key (organization_id, day)
);

-- The journal of runs: one row for each thing that a run did. call_id is what the model called a tool call; our own id is the
-- key of everything. receipt, change and brain_handle tell what it read and wrote.
create table run_operations (
  organization_id text not null references organization (id) on delete cascade,
  run_id text not null,
  id text not null,
  sequence integer not null,
  step integer not null,
  type text not null,
  name text not null,
  status text not null,
  attempt integer not null default 1,
  task_id text,
  call_id text,
  input json,
  output json,
  error text,
  model text,
  tool_source_kind text,
  tool_source_id text,
  knowledge_read_subject text,
  brain_handle text,
  receipt text,
  change text,
  input_tokens bigint,
  output_tokens bigint,
  cache_read_tokens bigint,
  cache_write_tokens bigint,
  reasoning_tokens bigint,
  cost_nanodollars bigint,
  latency_milliseconds bigint,
  produced_message_ids text[] not null default '{}',
  consumed_message_ids text[] not null default '{}',
  agent_id text not null,
  project_id text not null,
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (organization_id, run_id, id)
) with (fillfactor = 70);
create index run_operations_newest on run_operations (organization_id, created_at, id);
create index run_operations_by_kind on run_operations (organization_id, type, status, created_at, id);

create table run_messages (
  organization_id text not null references organization (id) on delete cascade,
  run_id text not null,
  id text not null,
  position integer not null,
  role text not null,
  parts json not null,
  text text not null,
  operation_id text,
  created_at timestamptz not null,
  primary key (organization_id, run_id, id)
);

-- The stream of a run, as readers get it: parts of the protocol's own, numbered without reuse.
create table run_parts (
  organization_id text not null references organization (id) on delete cascade,
  run_id text not null,
  number integer not null,
  operation_id text,
  part text not null,
  primary key (organization_id, run_id, number)
);

create table run_tasks (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  run_id text not null,
  agent_id text not null,
  operation_id text not null,
  state text not null,
  question text not null,
  options json,
  answer text,
  answered_by json,
  created_at timestamptz not null,
  expires_at timestamptz,
  completed_at timestamptz,
  primary key (organization_id, id)
);
create index run_tasks_by_run on run_tasks (organization_id, run_id);
create index run_tasks_by_state on run_tasks (organization_id, state, id);

-- Which Brains a run may reach: whose deletion takes what its journal holds of them.
create table run_brains (
  brain_id bigint not null,
  organization_id text not null,
  run_id text not null,
  access text not null,
  primary key (brain_id, organization_id, run_id)
);
create index run_brains_by_run on run_brains (organization_id, run_id);

-- Triggers follow a Brain's stream from where they were enabled. examined_position is how far it was looked at.
create table triggers (
  brain_id bigint not null,
  id text not null,
  organization_id text not null,
  agent_id text not null,
  name text not null,
  expected_outcome text not null,
  required_access text not null,
  enabled boolean not null,
  kind_scopes json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  created_by json not null,
  examined_position bigint not null,
  paused_reason text,
  last_run_id text,
  last_fired_at timestamptz,
  due_at timestamptz,
  lease text,
  primary key (brain_id, id)
) with (fillfactor = 50);
create index triggers_due on triggers (brain_id, due_at) where due_at is not null;
create index triggers_by_organization on triggers (organization_id, id);

create table schedules (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  agent_id text not null,
  cron text not null,
  timezone text not null,
  input json not null,
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  created_by json not null,
  paused_reason text,
  last_run_id text,
  last_fired_at timestamptz,
  due_at timestamptz,
  lease text,
  primary key (organization_id, id)
) with (fillfactor = 50);
create index schedules_due on schedules (organization_id, due_at) where due_at is not null;
