-- What a Brain declares about its records: the versions of its schema, the organization schema behind it, what emerged
-- undeclared, and the values of declared fields that are looked up.

-- Version 0 declares nothing and has no row. No row ever changes.
create table brain_schemas (
  brain_id bigint not null,
  schema_version integer not null,
  kinds json not null,
  change text,
  created_at timestamptz not null,
  primary key (brain_id, schema_version)
);

create table brain_baselines (
  brain_id bigint primary key,
  schema_name text not null,
  schema_version integer not null
);

create table organization_schemas (
  organization_id text not null references organization (id) on delete cascade,
  name text not null,
  version integer not null,
  kinds json not null,
  created_by text not null,
  created_at timestamptz not null,
  primary key (organization_id, name, version)
);

-- field is empty in the row of the kind itself. seen holds the sorts of values that were met, never a value.
create table emerged_structure (
  brain_id bigint not null,
  kind text not null,
  field text not null,
  count bigint not null,
  seen text[] not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (brain_id, kind, field)
) with (fillfactor = 50);

-- One row for each value of each unique or indexed field of each live record. value is the value's JSON text, or a hash of
-- it where it is long; the other columns hold what has an order. Who may have a value is decided under the Brain's lock.
create table field_index (
  brain_id bigint not null,
  kind text not null,
  field text not null,
  value text not null,
  record_id text not null,
  text text,
  number double precision,
  at timestamptz,
  primary key (brain_id, kind, field, value, record_id)
);
create index field_index_text on field_index (brain_id, kind, field, text) where text is not null;
create index field_index_number on field_index (brain_id, kind, field, number) where number is not null;
create index field_index_at on field_index (brain_id, kind, field, at) where at is not null;
