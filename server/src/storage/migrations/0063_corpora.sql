-- Corpora: named sets of Brains that are read together. `parts` names Brains by their ids; a part whose Brain is gone stays until the
-- corpus is written again.
create table corpora (
  organization_id text not null,
  name text collate "C" not null,
  parts json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, name)
);
