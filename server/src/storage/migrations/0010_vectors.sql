-- Vectors of passages, by which search finds what is meant. They are made after the passages and could be made anew.

-- vector is one signed byte for each dimension: its direction alone counts. Vectors of different spaces, which different
-- models make, cannot be compared; those of a space that nobody uses any more are dropped.
create table passage_vectors (
  brain_id bigint not null,
  space text not null,
  passage bigint not null,
  vector bytea not null,
  primary key (brain_id, space, passage)
);
alter table passage_vectors alter column vector set storage external;

-- Up to which passage those that were live then have their vectors.
create table vector_progress (
  brain_id bigint not null,
  space text not null,
  passage bigint not null default 0,
  leased_until timestamptz,
  primary key (brain_id, space)
);
create index vector_progress_space on vector_progress (space);

-- When a node last worked in a space.
create table vector_spaces (
  space text primary key,
  used_at timestamptz not null
);
