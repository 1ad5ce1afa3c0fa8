-- Indexes of declared fields are asked by queries now: they are built and dropped in the background, and read in order.

-- An index that is declared is ready unless it stands here. step is what is being done, place how far it has come: the
-- last record that was indexed, or the last entry that was dropped.
create table field_index_work (
  brain_id bigint not null,
  kind text not null,
  field text not null,
  step text not null check (step in ('drop', 'build')),
  place text not null default '',
  primary key (brain_id, kind, field)
);

-- Text has the order of its code points, whatever the database's own order is, and pages need the record to go on after.
drop index field_index_text;
drop index field_index_number;
drop index field_index_at;
create index field_index_text on field_index (brain_id, kind, field, text collate "C", record_id) where text is not null;
create index field_index_number on field_index (brain_id, kind, field, number, record_id) where number is not null;
create index field_index_at on field_index (brain_id, kind, field, at, record_id) where at is not null;

-- What held a slug at an earlier state.
create index record_versions_slug_ended on record_versions (brain_id, slug, kind, to_state, from_state)
  where to_state is not null and slug is not null;

-- An indexed field has an entry for each record of its kind from now on, also where the record has no value.
insert into field_index_work (brain_id, kind, field, step)
select brain.brain_id, declared.kind, field.name, 'build'
from brains as brain
join brain_schemas as schema on schema.brain_id = brain.brain_id and schema.schema_version = brain.schema_version
cross join lateral json_to_recordset(schema.kinds) as declared (kind text, fields json)
cross join lateral json_to_recordset(declared.fields) as field (name text, indexed boolean)
where field.indexed and brain.deleted_at is null;
