-- The changes of an organization are listed over all of its Brains, without a look at each of them.
-- Nodes of the version before write changes without their organization: the database adds it.
alter table changes add column organization_id text;

create function add_organization_of_change() returns trigger language plpgsql as $$
begin
  select brain.organization_id into new.organization_id from brains as brain where brain.brain_id = new.brain_id;
  return new;
end $$;
create trigger add_organization_of_change before insert on changes
  for each row when (new.organization_id is null) execute function add_organization_of_change();

update changes set organization_id = brain.organization_id from brains as brain where brain.brain_id = changes.brain_id;

-- What was applied is most, and has one decision. Each change stands in one of the two.
create index changes_applied_in_organization on changes (organization_id, id, brain_id) where application = 'applied';
create index changes_open_in_organization on changes (organization_id, decision, application, id, brain_id)
  where application <> 'applied';
