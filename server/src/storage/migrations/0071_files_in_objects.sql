-- Files whose bytes are objects in an S3-compatible store. A body that has no row here is in artifact_chunks. The row is there before
-- the first object and until the last one is deleted. No node of the version before writes or reads it.
create table artifact_objects (
  organization_id text not null,
  body_id text not null,
  -- The size of every object of the body but the last.
  part_bytes integer not null,
  -- The number of objects that may exist.
  parts integer not null default 0,
  -- True while artifact_chunks has all bytes too, because they are being moved.
  is_copy boolean not null default false,
  primary key (organization_id, body_id)
);
