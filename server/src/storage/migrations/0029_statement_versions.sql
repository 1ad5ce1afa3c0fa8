-- A statement that is asserted again with another validity, confidence or sources makes its next version. Its row is ended by
-- that, as ended_at and ended_change tell, and not by a retraction. Nodes of the version before write rows without a number:
-- each is the first of its statement, or ends the one that is live.
alter table statements
  add column version integer not null default 1,
  add column ended_at timestamptz,
  add column ended_change text;
alter table statements drop constraint statements_pkey, add primary key (brain_id, id, from_state, version);
create unique index statements_current on statements (brain_id, id) where to_state is null;
