-- How far a run may go at most, whatever its agent may: what the trigger that started it allows. Null is as far as the agent.
alter table runs add column max_access text;

-- The runs of a trigger that go on, which are limited.
create index runs_by_trigger on runs (organization_id, trigger_id) where trigger_id is not null and completed_at is null;
