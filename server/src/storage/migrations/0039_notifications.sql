-- What people are told of. A row is a state that goes on, or has ended: written when somebody looks, or is written to.

-- target_id names what it is about; people are those whom it is for, with owners and admins; null is for all members.
create table notifications (
  organization_id text not null references organization (id) on delete cascade,
  id text not null,
  kind text not null,
  target_type text not null,
  target_id text not null,
  name text,
  brain text,
  people text[],
  began_at timestamptz not null,
  resolved_at timestamptz,
  primary key (organization_id, id)
);
create unique index notifications_one_of_a_state on notifications (organization_id, kind, target_id) where resolved_at is null;
create index notifications_open on notifications (organization_id, id) where resolved_at is null;
create index notifications_resolved on notifications (resolved_at) where resolved_at is not null;

-- A person in an organization: up to which notification they have read, and the mail that they asked for. mailed_through is the
-- last notification that a mail told of. It ends with the membership.
create table notification_readers (
  organization_id text not null,
  user_id text not null,
  read_through text,
  read_at timestamptz,
  mail boolean not null default false,
  hour integer not null default 8,
  timezone text not null default 'UTC',
  mailed_through text,
  due_at timestamptz,
  lease text,
  primary key (organization_id, user_id),
  foreign key (organization_id, user_id) references member ("organizationId", "userId") on delete cascade
) with (fillfactor = 70);
create index notification_readers_due on notification_readers (organization_id, due_at) where due_at is not null;

-- Notifications that were read one by one.
create table notification_marks (
  organization_id text not null,
  user_id text not null,
  notification_id text not null,
  read_at timestamptz not null,
  primary key (organization_id, user_id, notification_id),
  foreign key (organization_id, user_id) references notification_readers (organization_id, user_id) on delete cascade,
  foreign key (organization_id, notification_id) references notifications (organization_id, id) on delete cascade
);
create index notification_marks_of_notification on notification_marks (organization_id, notification_id);

-- Brains of an organization where changes wait. Numbers that are not kept yet are counted once, so that none is missed.
update brains as brain set pending_count = waiting.changes
from (select brain_id, count(*) as changes from changes
      where application <> 'applied' and decision = 'pending' group by brain_id) as waiting
where brain.brain_id = waiting.brain_id and counted_gap is distinct from position - counted_events
  and pending_count <> waiting.changes;
create index brains_waiting on brains (organization_id, brain_id) where pending_count > 0 and deleted_at is null;

-- Since when each attempt of a Brain's webhook has failed, and in which organization that is: set together.
alter table brain_webhooks
  add column failing_since timestamptz,
  add column failing_organization text;
create index brain_webhooks_failing on brain_webhooks (failing_organization, id) where failing_organization is not null;

create index organization_deliveries_tried on organization_deliveries (webhook_id, id) where attempts > 0;
create index management_keys_expiring on management_keys (organization_id, expires_at)
  where revoked_at is null and expires_at is not null;
create index run_tasks_open on run_tasks (organization_id, agent_id) where state = 'open';
create index runs_by_schedule on runs (organization_id, schedule_id, id) where schedule_id is not null;

-- Further headers of a message, such as how to get no more of its sort.
alter table mail_outbox add column headers json;
