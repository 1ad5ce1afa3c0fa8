-- Versions that could not be indexed, and why: a search does not find them, and says so. position is that of the event that
-- told of the version. index_version is that of the code that tried last; other code tries once more.
create table unsearchable_versions (
  brain_id bigint not null,
  type text not null check (type in ('record', 'statement', 'document')),
  id text not null,
  version integer not null,
  position bigint not null,
  from_state bigint not null,
  to_state bigint,
  reason text not null,
  index_version integer not null,
  primary key (brain_id, type, id, version)
);
