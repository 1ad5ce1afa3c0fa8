-- Why, since when and by whom a Brain is held. Null while it is not; availability says which.

alter table brains
  add column hold_reason text,
  add column held_since timestamptz,
  add column held_by text;

-- What holds had blocked is looked for every few seconds.
create index changes_held on changes (brain_id, id) where application = 'blocked' and blocked_by = 'held';
