-- What search finds: stretches of versions ("passages"), and an index of their words. Both are made after the commit, from
-- the stream, and could be made anew from the versions at any time. Whether a passage is still live is told by its version
-- alone; from_state and to_state are kept here as hints that save looking.

-- passage counts up within a Brain and is never used twice. heading is what the stretch stands under, a document's title;
-- starts and ends say where a document's stretch lies in its text, in UTF-16 code units. terms is its length in words that
-- count. noted is the position of the stream at which its end was noted.
-- sequence, place and ordinal order the passages of one conversation or document, whose neighbours are found by them.
create table passages (
  brain_id bigint not null,
  passage bigint not null,
  type text not null check (type in ('record', 'statement', 'document')),
  id text not null,
  version integer not null,
  ordinal integer not null,
  starts integer not null,
  ends integer not null,
  heading text not null,
  text text not null,
  terms integer not null,
  from_state bigint not null,
  to_state bigint,
  noted bigint,
  sequence text,
  place bigint,
  primary key (brain_id, passage)
);
create index passages_thing on passages (brain_id, id, type);
create index passages_noted on passages (brain_id, noted) where noted is not null;

-- Where the index of a Brain has come to: the position of its stream, and the numbers that were given out.
create table passage_progress (
  brain_id bigint primary key,
  position bigint not null default 0,
  last_passage bigint not null default 0,
  last_segment bigint not null default 0,
  leased_until timestamptz
);

-- A segment indexes the passages from first to last and never changes; several are merged into a new one.
create table passage_segments (
  brain_id bigint not null,
  segment bigint not null,
  first_passage bigint not null,
  last_passage bigint not null,
  primary key (brain_id, segment)
);

-- Which passages of a segment hold a term, and how often, packed (features/passages/postings.ts).
create table passage_postings (
  brain_id bigint not null,
  segment bigint not null,
  term text collate "C" not null,
  list bytea not null,
  primary key (brain_id, segment, term)
);
alter table passage_postings alter column list set storage external;
