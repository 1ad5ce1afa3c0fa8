-- Links by which anyone reads a run. Their tokens are not stored: only the service can make them.
create table run_shares (
  organization_id text not null,
  id text not null,
  run_id text not null,
  include json not null,
  created_by json not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  views bigint not null default 0,
  last_viewed_at timestamptz,
  revoked_at timestamptz,
  primary key (organization_id, id)
);
