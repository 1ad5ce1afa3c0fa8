-- Artifacts: the files of an organization. The bytes of a version are a body: rows of 256 KiB, the last one shorter.

-- The bytes that an organization keeps, also those that are still arriving, and those that arrived on a day.
create table artifact_usage (
  organization_id text primary key references organization (id),
  bytes bigint not null default 0,
  bodies integer not null default 0,
  day date,
  day_bytes bigint not null default 0
);

-- `bytes` is what the body counts as. `erase_at`: when it is erased; null for a body that a version has.
create table artifact_bodies (
  organization_id text not null,
  id text not null,
  bytes bigint not null,
  erase_at timestamptz,
  primary key (organization_id, id)
);
create index artifact_bodies_to_erase on artifact_bodies (erase_at) where erase_at is not null;

create table artifact_chunks (
  organization_id text not null,
  body_id text not null,
  number integer not null,
  bytes bytea not null,
  primary key (organization_id, body_id, number)
);
-- Most files are compressed already.
alter table artifact_chunks alter column bytes set storage external;

-- `version` is the current one.
create table artifacts (
  organization_id text not null,
  id text not null,
  path text collate "C" not null,
  version integer not null,
  primary key (organization_id, id),
  unique (organization_id, path)
);

create table artifact_versions (
  organization_id text not null,
  artifact_id text not null,
  version integer not null,
  body_id text not null,
  content_type text not null,
  bytes bigint not null,
  sha256 text not null,
  source text not null,
  created_by json not null,
  created_at timestamptz not null,
  primary key (organization_id, artifact_id, version),
  foreign key (organization_id, artifact_id) references artifacts (organization_id, id)
);

-- The idempotency keys of uploads, and the versions that they made.
create table artifact_claims (
  organization_id text not null,
  sender text not null,
  key text not null,
  fingerprint bytea not null,
  artifact_id text not null,
  version integer not null,
  primary key (organization_id, sender, key),
  foreign key (organization_id, artifact_id, version)
    references artifact_versions (organization_id, artifact_id, version) on delete cascade
);
create index artifact_claims_version on artifact_claims (organization_id, artifact_id, version);
