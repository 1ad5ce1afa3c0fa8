-- Who did something, as an actor: a key, a person's session, a run or the service itself. A column that is named after one
-- that holds an id has the whole actor as JSON: type, id, and where they are known userId, runId, line and rotatedBy. It is
-- null in rows that an older version wrote; the id is a key's then, and it is the id that counts where the two differ.
-- submitted_by_actor is null as well where submitted_by and submitted_by_user say everything of a key.
-- Tables are altered in the order in which the statements of running nodes lock them.

alter table organization_schemas add column created_by_actor json;
alter table organization_webhooks add column created_by_actor json;
alter table brain_webhooks add column created_by_actor json;

-- A Brain key stands for people: those who minted it and, where it replaced another, those who minted the keys before it,
-- oldest first. line is the first key of its rotations; null where that is the key itself.
alter table brain_keys
  add column people text[],
  add column line text;

-- Minters of Brain keys were management keys, which know their people.
with recursive rotations as (
  select brain_id, id, id as line, replaced_by, array[created_by] as minters
  from brain_keys as key
  where not exists (select from brain_keys as before where before.brain_id = key.brain_id and before.replaced_by = key.id)
  union all
  select key.brain_id, key.id, rotations.line, key.replaced_by, rotations.minters || key.created_by
  from rotations join brain_keys as key on key.brain_id = rotations.brain_id and key.id = rotations.replaced_by
)
update brain_keys as key
set line = nullif(rotations.line, key.id),
  people = array(
    select minted.created_by
    from unnest(rotations.minters) with ordinality as minter (id, place)
    join management_keys as minted on minted.id = minter.id
    group by minted.created_by order by min(minter.place))
from rotations
where key.brain_id = rotations.brain_id and key.id = rotations.id;

alter table brains add column held_by_actor json;
alter table changes
  add column submitted_by_actor json,
  add column decided_by_actor json;

-- Only what may still be decided is compared with its reviewer.
update changes as change
set submitted_by_user = key.people[1],
  submitted_by_actor = case when key.line is not null then json_strip_nulls(json_build_object(
    'type', 'key', 'id', key.id, 'userId', key.people[1], 'line', key.line,
    'rotatedBy', case when cardinality(key.people) > 1 then to_json(key.people[2:]) end)) end
from brain_keys as key
where key.brain_id = change.brain_id and key.id = change.submitted_by
  and change.application <> 'applied' and change.decision in ('pending', 'approved');
