-- Packs of organizations: the file of each version, and what lists show of it.
create table packs (
  organization_id text not null,
  name text collate "C" not null,
  version integer not null,
  file json not null,
  size integer not null,
  shown json not null,
  created_by json not null,
  created_at timestamptz not null,
  primary key (organization_id, name, version)
);
