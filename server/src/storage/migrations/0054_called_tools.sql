-- Which tool a call named, in which version, and the schemas that it was called with. Schemas are stored once per organization and
-- hash; used_at moves on at most twice a day, and a schema that no stored run can have used is deleted.
alter table run_operations add column tool_name text;
alter table run_operations add column tool_source_version_id text;
alter table run_operations add column tool_schema_hash text;

create table tool_schemas (
  organization_id text not null references organization (id) on delete cascade,
  hash text not null,
  input_schema json not null,
  output_schema json,
  bytes integer not null,
  used_at timestamptz not null,
  primary key (organization_id, hash)
);
create index tool_schemas_used on tool_schemas (used_at);

-- The version that a connector's server last gave of itself.
alter table connectors add column server_version text;
