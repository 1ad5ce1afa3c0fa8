-- The files that a run wrote.
create index artifact_versions_of_runs on artifact_versions (organization_id, (created_by->>'runId'), artifact_id, version)
  where source = 'run';
