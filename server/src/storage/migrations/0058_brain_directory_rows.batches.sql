-- Adds the directory rows of Brains that were created before the directory, the newest first: one that is created
-- meanwhile has a higher number. The lock makes a deletion wait for the batch, so that none is missed; commits do not wait for it.
insert into brain_directory (brain_id, organization_id, handle, id, deleted_at)
select brain_id, organization_id, handle, id, deleted_at from (
  select brain_id, organization_id, handle, id, deleted_at from brains
  where brain_id < (select coalesce(min(brain_id), 9223372036854775807) from brain_directory)
  order by brain_id desc limit 2000 for key share) as head
on conflict do nothing
