-- What organizations are told of, their webhooks, and each delivery.

-- The outbox: written in the transaction of what it tells of, taken away when it is handed to webhooks. agent_id and brain
-- (a handle) say what it belongs to.
create table announcements (
  id bigint generated always as identity primary key,
  organization_id text not null,
  event text not null,
  at timestamptz not null,
  agent_id text,
  brain text,
  data json not null
);

-- Secrets are sealed by the service's own. next_secret signs alone from next_from on.
create table organization_webhooks (
  id text primary key,
  organization_id text not null references organization (id) on delete cascade,
  url text not null,
  events text[] not null,
  agent_id text,
  brain text,
  secret bytea not null,
  next_secret bytea,
  next_from timestamptz,
  created_at timestamptz not null,
  created_by text not null
);
create index organization_webhooks_organization on organization_webhooks (organization_id, id);

-- turn counts how often the delivery was begun, attempts those of this turn: together they name the attempt that may settle
-- it. queued says that a job of this turn exists.
create table organization_deliveries (
  id text primary key,
  webhook_id text not null references organization_webhooks (id) on delete cascade,
  event text not null,
  body text not null,
  state text not null default 'pending',
  turn integer not null default 1,
  attempts integer not null default 0,
  queued boolean not null default false,
  created_at timestamptz not null,
  next_attempt_at timestamptz,
  last_attempt json
);
create index organization_deliveries_webhook on organization_deliveries (webhook_id, id);
create index organization_deliveries_pending on organization_deliveries (id) where state = 'pending';
create index organization_deliveries_age on organization_deliveries (created_at);
