-- When a record or document expires. Nodes of the version before write none.
alter table record_versions add column expires_at timestamptz;
alter table document_versions add column expires_at timestamptz;
create index record_versions_expiring on record_versions (brain_id, expires_at)
  where expires_at is not null and to_state is null;
create index document_versions_expiring on document_versions (brain_id, expires_at)
  where expires_at is not null and to_state is null;

-- The record into which a record was merged, in its last version.
alter table record_versions add column survivor text;
create index record_versions_merged on record_versions (brain_id, survivor, id) where survivor is not null;
