-- Who last set the address of a webhook, and who last saw its secret; null is who created it. `owner_left`: it was paused
-- because one of them lost their access, and nobody has set its address since.
alter table brain_webhooks
  add column url_by text, add column secret_by text, add column owner_left boolean not null default false;
alter table organization_webhooks
  add column url_by text, add column secret_by text, add column owner_left boolean not null default false,
  add column paused boolean not null default false;
-- Since when an agent is of somebody who had not proven their account, and whose account was taken from them.
alter table agents add column unproven_since timestamptz;
create index agents_unproven on agents (organization_id) where unproven_since is not null;
-- What an owner has spent by the operator's provider keys on a UTC day, calls under way at their expected price. `owner` is the
-- user that daily limits count for; it outlives their organizations, so that deleting one gives nothing back.
create table shared_spending (
  owner text not null,
  day date not null,
  nanodollars bigint not null,
  primary key (owner, day)
);
