-- Background work of Brains is done in leased turns: indexing, embedding, erasing, telling of dates, publishing, building
-- indexes of fields. What is to do stands where it did, in the tables of whoever does it, so nothing that waits is lost.

-- A row is here while a turn of a Brain's work runs, with its lease and when that ends, and while a turn that failed waits to
-- be tried again.
create table brain_turns (
  brain_id bigint not null,
  work text not null,
  due_at timestamptz not null,
  lease text,
  failures integer not null default 0,
  primary key (brain_id, work)
);
create index brain_turns_due on brain_turns (work, due_at);

-- Changes that wait are looked for from Brain to Brain, so that many of one cannot hide those of another.
create index changes_scheduled_by_brain on changes (brain_id, publish_at) where application = 'scheduled';
drop index changes_scheduled;
