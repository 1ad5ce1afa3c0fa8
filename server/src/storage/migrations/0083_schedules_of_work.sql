-- A schedule of an eval or a distillation has a `target` in the place of an agent and its input, and acts for the person or key that changed it last. Its
-- next instant is `target_at`: nodes of earlier releases start only schedules with `next_at`, and would look for an agent.
alter table schedules alter column agent_id drop not null;
alter table schedules alter column input drop not null;
alter table schedules add column target json, add column acts_for json, add column target_at timestamptz;

-- The schedule that started it, and the instant that it was due: it starts one for each instant.
alter table eval_runs add column schedule_id text, add column scheduled_for timestamptz;
create unique index eval_runs_by_schedule on eval_runs (organization_id, schedule_id, scheduled_for)
  where schedule_id is not null;
alter table distillations add column schedule_id text, add column scheduled_for timestamptz;
create unique index distillations_by_schedule on distillations (organization_id, schedule_id, scheduled_for)
  where schedule_id is not null;
