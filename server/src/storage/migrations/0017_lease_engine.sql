-- All background deliveries are leased rows: due_at says when somebody must look at a row, lease who may settle it until then.

-- Brain webhooks are looked for from Brain to Brain, so that many that are due in one cannot hide those of another.
create index brain_webhooks_due_by_brain on brain_webhooks (brain_id, due_at) where due_at is not null;
drop index brain_webhooks_due;

-- What is pending is due at its next attempt. The column queued is not used any more.
alter table organization_deliveries
  add column due_at timestamptz,
  add column lease text,
  alter column queued set default true;
update organization_deliveries set due_at = coalesce(next_attempt_at, now()), queued = true where state = 'pending';
create index organization_deliveries_due on organization_deliveries (webhook_id, due_at) where due_at is not null;
drop index organization_deliveries_pending;

-- The outbox. wanted_by names the webhooks that wanted the event when it happened; nothing is added that none wants.
alter table announcements rename to outbox;
alter table outbox
  add column wanted_by text[],
  add column due_at timestamptz not null default now(),
  add column attempts integer not null default 0,
  add column lease text;
create index outbox_due on outbox (organization_id, due_at);

-- For nodes of the version before, as long as they run. They find the outbox under its old name, and what they make pending
-- is due to those that lease it, not to a queue that is no more.
create view announcements as select id, organization_id, event, at, agent_id, brain, data from outbox;
create function lease_pending_delivery() returns trigger language plpgsql as $$
begin
  new.due_at := coalesce(new.next_attempt_at, now());
  new.queued := true;
  return new;
end
$$;
create trigger organization_deliveries_of_old_nodes before insert or update on organization_deliveries
  for each row when (new.state = 'pending' and (new.due_at is null or not new.queued))
  execute function lease_pending_delivery();
