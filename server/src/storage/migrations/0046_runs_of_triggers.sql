-- The runs of a trigger, the newest first, as its page lists them.
create index runs_of_trigger on runs (organization_id, trigger_id, id) where trigger_id is not null;
