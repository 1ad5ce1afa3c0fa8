-- A commit writes the links of its records itself. The triggers keep them for nodes of the version before, whose transactions do not
-- say so; a later release drops them.

create or replace function begin_record_links() returns trigger language plpgsql as $$
begin
  if current_setting('noema.keeps_links', true) = 'on' then return null; end if;
  -- Most are the first of their record: nothing has to be looked for.
  insert into record_links (brain_id, target, source, predicate, from_state)
  select made.brain_id, link->>'to', made.id, link->>'predicate', made.from_state
  from made cross join lateral json_array_elements(made.record->'links') as link
  where made.version = 1 and (made.to_state is null or made.to_state > made.from_state)
  on conflict do nothing;

  if not exists (select from made where version > 1 or deleted) then return null; end if;

  insert into record_links (brain_id, target, source, predicate, from_state)
  select step.brain_id, link.target, step.id, link.predicate, step.from_state
  from (
    select made.brain_id, made.id, made.from_state, made.record, previous.record as before
    from made left join lateral (
      select version.record, version.deleted, version.to_state from record_versions as version
      where version.brain_id = made.brain_id and version.id = made.id and version.version < made.version
        and (version.to_state is null or version.to_state > version.from_state)
      order by version.from_state desc, version.version desc limit 1) as previous
      -- Between a deletion and what is written after it the record had no links.
      on not previous.deleted and (previous.to_state is null or previous.to_state >= made.from_state)
    where made.version > 1 and (made.to_state is null or made.to_state > made.from_state)) as step
  cross join lateral (select * from list_links(step.record) except select * from list_links(step.before)) as link;

  update record_links as link set to_state = step.from_state
  from (
    select made.brain_id, made.id, made.from_state, previous.from_state as since, gone.*
    from made cross join lateral (
      select version.record, version.from_state, version.deleted from record_versions as version
      where version.brain_id = made.brain_id and version.id = made.id and version.version < made.version
        and (version.to_state is null or version.to_state > version.from_state)
      order by version.from_state desc, version.version desc limit 1) as previous
    cross join lateral (select * from list_links(previous.record) except
      select * from list_links(made.record) where made.to_state is null or made.to_state > made.from_state) as gone
    where not previous.deleted and (made.to_state is null or made.to_state > made.from_state or (made.deleted
      and not exists (select from record_versions as next where next.brain_id = made.brain_id and next.id = made.id
        and next.version > made.version and next.from_state = made.from_state)))) as step
  where link.brain_id = step.brain_id and link.target = step.target and link.source = step.id
    and link.predicate = step.predicate and link.from_state <= step.since and link.to_state is null;

  update record_links as link set to_state = step.to_state
  from (select made.brain_id, made.id, made.from_state, made.to_state, gone.*
    from made cross join lateral list_links(made.record) as gone
    where made.deleted and made.to_state > made.from_state) as step
  where link.brain_id = step.brain_id and link.target = step.target and link.source = step.id
    and link.predicate = step.predicate and link.from_state <= step.from_state and link.to_state is null;
  return null;
end $$;

create or replace function end_record_links() returns trigger language plpgsql as $$
begin
  if current_setting('noema.keeps_links', true) = 'on' then return null; end if;
  update record_links as link set to_state = step.to_state
  from (select ended.brain_id, ended.id, ended.from_state, ended.to_state, gone.*
    from ended cross join lateral list_links(ended.record) as gone
    where ended.deleted and ended.to_state > ended.from_state) as step
  where link.brain_id = step.brain_id and link.target = step.target and link.source = step.id
    and link.predicate = step.predicate and link.from_state <= step.from_state and link.to_state is null;
  return null;
end $$;
