-- What the runs of an organization came to in each quarter of an hour, by when they ended: days of every time zone are made of
-- quarters. A quarter is summed up once it is over, all organizations together, so the newest one tells how far it was summed.
create table run_quarters (
  organization_id text not null references organization (id) on delete cascade,
  quarter timestamptz not null,
  completed bigint not null,
  failed bigint not null,
  abandoned bigint not null,
  operations bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  cost_nanodollars bigint not null,
  primary key (organization_id, quarter)
);
create index run_quarters_newest on run_quarters (quarter);
-- What ended since then is summed up as it is read.
create index runs_ended on runs (organization_id, completed_at) where completed_at is not null;
