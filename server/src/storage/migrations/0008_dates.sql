-- The crossings of dates: when a value of a record is as near as its field is to be notified of. One row for each that is
-- still to come, and one for each that the stream told of, which is kept so that it is never told again.
-- value is the moment that the field holds, however it was spelled; a date is the start of its day in UTC.

create table date_crossings (
  brain_id bigint not null,
  record_id text not null,
  field text not null,
  value timestamptz not null,
  "offset" text not null,
  due_at timestamptz not null,
  emitted_at timestamptz,
  primary key (brain_id, record_id, field, value, "offset")
);
create index date_crossings_pending on date_crossings (brain_id, due_at, record_id, field, value, "offset")
  where emitted_at is null;
