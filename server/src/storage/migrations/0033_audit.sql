-- Who did what to what an organization has: kept beside each act, in its transaction, and never changed. An entry ends with its
-- organization alone.
create table audit_entries (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  at timestamptz not null,
  actor json not null,
  action text not null,
  target_type text not null,
  target_id text not null,
  target json not null,
  before json,
  after json,
  primary key (organization_id, id)
);
create index audit_entries_action on audit_entries (organization_id, action, id);
create index audit_entries_target on audit_entries (organization_id, target_id, id);

-- Within the cascade from its organization a trigger is under way already.
create function refuse_change_of_audit() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() > 1 then return old; end if;
  raise exception 'entries of the audit log are not changed';
end $$;
create trigger audit_entries_stay before update or delete on audit_entries
  for each row execute function refuse_change_of_audit();
