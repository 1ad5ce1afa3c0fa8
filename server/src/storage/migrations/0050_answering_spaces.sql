-- While the vectors of another model are made, those of the former one answer, Brain by Brain.

-- The space whose vectors answer the searches of a Brain, and since when.
create table answering_spaces (
  brain_id bigint primary key,
  space text not null,
  since timestamptz not null
);
create index answering_spaces_space on answering_spaces (space);

-- generation: of the spaces that nodes work in, the one that was claimed last is the one that all Brains are to have.
-- source: what embeds texts in it. probe: its vector of a sentence that is always the same, by which it is known again.
alter table vector_spaces
  add column generation bigint not null default 0,
  add column source json,
  add column probe bytea;

insert into answering_spaces (brain_id, space, since)
select brain_id, space, now() from vector_progress
where space = (select space from vector_spaces order by used_at desc, space limit 1);
