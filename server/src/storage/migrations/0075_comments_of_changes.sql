-- What people and agents wrote about a change, the oldest first.
alter table changes add column comments json;
