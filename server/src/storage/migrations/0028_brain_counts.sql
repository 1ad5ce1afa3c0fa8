-- What a Brain holds is counted as it is written, so that reading the numbers reads one row. Writers of earlier versions count
-- nothing: the numbers hold while the events that were counted are those that there are, but for a gap that is known.
alter table brains
  add column records_count bigint not null default 0,
  add column statements_count bigint not null default 0,
  add column documents_count bigint not null default 0,
  add column pending_count bigint not null default 0,
  add column last_write_at timestamptz,
  add column counted_events bigint not null default 0,
  add column counted_gap bigint;
