-- The page of a file that a passage is on, in texts with pages.
alter table passages add column page integer;
