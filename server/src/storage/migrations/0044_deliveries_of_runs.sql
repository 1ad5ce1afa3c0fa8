-- The run whose end a delivery tells of, with what came of it: deleting a Brain that the run could reach erases that, too.
alter table organization_deliveries add column run_id text;
update organization_deliveries set run_id = body::json->'data'->>'runId' where event in ('run.completed', 'run.failed');
create index organization_deliveries_run on organization_deliveries (run_id) where run_id is not null;
