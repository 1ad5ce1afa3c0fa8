-- A write that equals one that waits for review is answered with the change that waits: found by what it asked, as a hash.
alter table changes add column write_hash bytea;
create index changes_pending_writes on changes (brain_id, write_hash)
  where decision = 'pending' and write_hash is not null;
