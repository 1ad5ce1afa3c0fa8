-- Brains, and the keys that reach them.
-- Every table of a Brain leads its primary key with brain_id and no constraint crosses Brains, so that Brains can be
-- spread over machines by that one column.

-- A deleted Brain keeps its row: a cursor from before a deletion is told apart from a forged one by it.
-- position counts the Brain's events, state_version its landed changes; whoever moves them holds the row's lock until
-- commit, which is what makes position order commit order.
create table brains (
  brain_id bigint generated always as identity primary key,
  id text not null,
  organization_id text not null references organization (id),
  handle text not null,
  name text,
  purpose text,
  mode text not null default 'direct' check (mode in ('direct', 'review')),
  review_rules jsonb not null default '{}',
  availability text not null default 'active' check (availability in ('active', 'held', 'deleted')),
  cursor_key bytea not null,
  position bigint not null default 0,
  state_version bigint not null default 0,
  schema_version integer not null default 0,
  writes_day date not null default '1970-01-01',
  writes_today bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  purged_at timestamptz
) with (fillfactor = 50);
create unique index brains_handle on brains (organization_id, handle) where deleted_at is null;
create index brains_writes_today on brains (organization_id, writes_day);
create index brains_to_purge on brains (brain_id) where deleted_at is not null and purged_at is null;

create table management_keys (
  id text primary key,
  organization_id text not null references organization (id) on delete cascade,
  hash bytea not null,
  name text not null,
  prefix text not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  idempotency_key text,
  fingerprint bytea
);
create unique index management_keys_hash on management_keys (hash);
create index management_keys_organization on management_keys (organization_id, id);
create unique index management_keys_replay on management_keys (organization_id, created_by, idempotency_key)
  where idempotency_key is not null;

create table brain_keys (
  brain_id bigint not null,
  id text not null,
  hash bytea not null,
  name text not null,
  prefix text not null,
  capabilities text[] not null,
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  replaced_by text,
  last_used_at timestamptz,
  idempotency_key text,
  fingerprint bytea,
  primary key (brain_id, id)
);
-- Not unique: that would be a constraint across Brains, and 256-bit hashes of random tokens do not collide.
create index brain_keys_hash on brain_keys (hash);
create unique index brain_keys_replay on brain_keys (brain_id, created_by, idempotency_key)
  where idempotency_key is not null;
