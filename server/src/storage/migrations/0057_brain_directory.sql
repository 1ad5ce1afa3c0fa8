-- A Brain has two rows. Its directory row says which Brain has a handle, and changes only when the Brain is created or
-- deleted, so that every server may keep a copy. Its head is its row in brains: position, state, settings, counts and today's
-- usage, which each commit changes, and which lives with the Brain's content. The head repeats what never changes of the
-- directory row.

create table brain_directory (
  -- Heads that nodes of the version before insert take their numbers from the same sequence.
  brain_id bigint primary key default nextval('brains_brain_id_seq'),
  -- Nodes of the version before erase an organization without knowing this table.
  organization_id text not null references organization (id) on delete cascade,
  handle text not null,
  id text not null,
  deleted_at timestamptz
);
create unique index brain_directory_handle on brain_directory (organization_id, handle) where deleted_at is null;
create index brain_directory_id on brain_directory (id);

-- Nodes of the version before write the head alone: the database adds the directory row. Where another Brain has the handle,
-- it inserts no head, as the index of handles would.
create function add_brain_directory() returns trigger language plpgsql as $$
begin
  if exists (select from brain_directory where brain_id = new.brain_id) then return new; end if;
  -- A Brain from before this migration, whose row was not added yet: the index of the heads refuses the handle.
  if exists (select from brains where organization_id = new.organization_id and handle = new.handle and deleted_at is null) then
    return new;
  end if;
  insert into brain_directory (brain_id, organization_id, handle, id)
  values (new.brain_id, new.organization_id, new.handle, new.id) on conflict do nothing;
  return case when found then new end;
end $$;
create trigger add_brain_directory before insert on brains for each row execute function add_brain_directory();

create function end_brain_directory() returns trigger language plpgsql as $$
begin
  update brain_directory set deleted_at = new.deleted_at
  where brain_id = new.brain_id and deleted_at is distinct from new.deleted_at;
  return null;
end $$;
create trigger end_brain_directory after update of deleted_at on brains
  for each row when (new.deleted_at is distinct from old.deleted_at) execute function end_brain_directory();
