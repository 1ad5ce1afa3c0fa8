-- Runs without an agent, whose steps the caller's own code takes: `flow` is the name of such a run. Its agent_id is 'flow', its lease is
-- 'flow' and its due_at null to its end, so that no node takes it for the run of an agent.
alter table runs add column flow text;

-- What the service does for such runs: it ends sleeps and questions, and runs that no one continues. A row lasts until its run ends.
create table run_flows (
  organization_id text not null,
  run_id text not null,
  expires_seconds integer not null,
  steps integer not null default 0,
  length bigint not null default 0,
  touched_at timestamptz not null,
  due_at timestamptz,
  lease text,
  primary key (organization_id, run_id)
);
create index run_flows_due on run_flows (organization_id, due_at) where due_at is not null;
