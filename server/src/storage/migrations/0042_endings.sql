-- How organizations and accounts end: what ended is refused at once, and erased by a worker.

-- personal_of is the account that the organization was made for at sign-up. Of those of before it is the one that was made with it.
alter table organization
  add column ended_at timestamptz,
  add column personal_of text;
update organization set personal_of = first."userId"
from (
  select distinct on (member."userId") member."userId", member."organizationId", organization."createdAt"
  from member join organization on organization.id = member."organizationId"
  where member.role = 'owner' order by member."userId", organization."createdAt", organization.id) as first
  join "user" as account on account.id = first."userId"
where organization.id = first."organizationId"
  and first."createdAt" between account."createdAt" - interval '1 minute' and account."createdAt" + interval '1 minute';

-- What is to be erased, and that it was: nothing of it but its id, who ended it and when. address is an account's, until nothing
-- else has it.
create table erasures (
  id text primary key,
  kind text not null check (kind in ('organization', 'account')),
  subject text not null,
  address text,
  ended_by json not null,
  ended_at timestamptz not null,
  erased_at timestamptz,
  due_at timestamptz,
  lease text,
  failures integer not null default 0
);
create index erasures_due on erasures (due_at) where due_at is not null;

-- The organization whose affairs a message tells of: it goes with it.
alter table mail_outbox add column organization_id text;
create index mail_outbox_organization on mail_outbox (organization_id) where organization_id is not null;

create index admin_events_of_sign_ups on admin_events (email) where kind = 'signup';
create index audit_entries_of_people on audit_entries ((target ->> 'name')) where target_type in ('member', 'invitation');

-- An entry ends with its organization, within the cascade or before it, once the organization has ended. Nothing of it changes but
-- that the name of a person whose account is gone is taken out.
create or replace function refuse_change_of_audit() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() > 1 then return old; end if;
  if tg_op = 'DELETE' and exists (
    select from organization where id = old.organization_id and ended_at is not null) then return old; end if;
  if tg_op = 'UPDATE' and new.target::jsonb = old.target::jsonb - 'name'
    and to_jsonb(new) - 'target' = to_jsonb(old) - 'target' then return new; end if;
  raise exception 'entries of the audit log are not changed';
end $$;
