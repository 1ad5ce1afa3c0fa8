-- Webhooks of a Brain: where each one stands in the stream, and what its latest deliveries met.

-- examined_position is how far the stream was looked at, settled_position the last event that was delivered or skipped.
-- due_at is when somebody must look again: null while there is nothing to send, the end of the lease while a node sends,
-- the time of the next attempt after a failure. lease names who may settle; a node whose lease is not there any more may not.
-- Secrets are sealed by the service's own. next_secret signs alone from next_from on.
create table brain_webhooks (
  brain_id bigint not null,
  id text not null,
  url text not null,
  types text[],
  secret bytea not null,
  next_secret bytea,
  next_from timestamptz,
  created_at timestamptz not null,
  created_by text not null,
  examined_position bigint not null,
  settled_position bigint,
  attempts integer not null default 0,
  due_at timestamptz,
  lease text,
  deliveries bigint not null default 0,
  last_failure json,
  primary key (brain_id, id)
) with (fillfactor = 50);
create index brain_webhooks_due on brain_webhooks (due_at) where due_at is not null;

-- The latest deliveries of each webhook: slot is the delivery's number modulo how many are kept, so old rows are written over.
create table brain_webhook_deliveries (
  brain_id bigint not null,
  webhook text not null,
  slot integer not null,
  number bigint not null,
  delivery json not null,
  primary key (brain_id, webhook, slot)
) with (fillfactor = 50);
