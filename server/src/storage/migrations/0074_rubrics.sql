-- Rubrics: criteria by which a model judges answers, in all their versions.
create table rubrics (
  organization_id text not null,
  name text collate "C" not null,
  version integer not null,
  criteria json not null,
  created_at timestamptz not null,
  created_by json not null,
  primary key (organization_id, name, version)
);
