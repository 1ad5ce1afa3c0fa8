-- What a Brain holds: changes, versions of records and documents, statements, the event stream, and stored answers.
-- A version is a row that is valid from one Brain state to another: from_state <= S and (to_state is null or to_state > S).
-- The columns named record, statement, document and event hold the thing as it is answered, written once and passed through.

create table changes (
  brain_id bigint not null,
  id text not null,
  decision text not null check (decision in ('pending', 'approved', 'rejected', 'superseded')),
  application text not null check (application in ('not_applied', 'scheduled', 'blocked', 'applied', 'cancelled')),
  submitted_by text not null,
  corrects text,
  state_version bigint,
  created_at timestamptz not null,
  primary key (brain_id, id)
);

create table record_versions (
  brain_id bigint not null,
  id text not null,
  version integer not null,
  kind text not null,
  slug text,
  from_state bigint not null,
  to_state bigint,
  deleted boolean not null default false,
  ended_at timestamptz,
  ended_change text,
  record json not null,
  primary key (brain_id, id, from_state, version)
);
create unique index record_versions_current on record_versions (brain_id, id) where to_state is null;
create index record_versions_kind on record_versions (brain_id, kind, id) where to_state is null;
create unique index record_versions_slug on record_versions (brain_id, slug, kind)
  where to_state is null and slug is not null;

create table statements (
  brain_id bigint not null,
  id text not null,
  identity bytea not null,
  subject_id text not null,
  predicate text not null,
  valid_from timestamptz,
  valid_to timestamptz,
  from_state bigint not null,
  to_state bigint,
  statement json not null,
  retraction json,
  primary key (brain_id, id)
);
create unique index statements_identity on statements (brain_id, identity) where to_state is null;
create index statements_subject on statements (brain_id, subject_id, id);
create index statements_predicate on statements (brain_id, predicate, id);

create table document_versions (
  brain_id bigint not null,
  id text not null,
  version integer not null,
  hash text not null,
  source_name text,
  from_state bigint not null,
  to_state bigint,
  retired boolean not null default false,
  ended_at timestamptz,
  ended_change text,
  text text not null,
  document json not null,
  primary key (brain_id, id, from_state, version)
);
create unique index document_versions_current on document_versions (brain_id, id) where to_state is null;
create index document_versions_source on document_versions (brain_id, source_name, id) where to_state is null;

create table events (
  brain_id bigint not null,
  position bigint not null,
  type text not null,
  event json not null,
  primary key (brain_id, position)
);

create table idempotency_answers (
  brain_id bigint not null,
  key_id text not null,
  idempotency_key text not null,
  fingerprint bytea not null,
  status integer not null,
  answer text not null,
  created_at timestamptz not null,
  primary key (brain_id, key_id, idempotency_key)
);
