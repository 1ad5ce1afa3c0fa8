-- Receipts: what a search, a context or a query served, by id and version. Never text, nor what was asked.
-- Each read leaves one, so they are kept small: ids as 128 bits, what was served as lists, and what it is found by as hashes.

-- id holds the bits of the id that is answered, which begin with the time. served is {"records":[[id,version],…],
-- "statements":[id,…],"documents":[[id,version],…]}, a list left out where it is empty.
create table receipts (
  brain_id bigint not null,
  id uuid not null,
  at timestamptz not null,
  state_version bigint not null,
  operation text not null,
  consumer_id text,
  served json not null,
  primary key (brain_id, id)
);
create index receipts_consumer on receipts (brain_id, consumer_id, id) where consumer_id is not null;

-- item is 64 bits of a hash of what was served, its type and id. A statement has version 1.
create table receipt_items (
  brain_id bigint not null,
  item bigint not null,
  receipt uuid not null,
  version integer not null,
  primary key (brain_id, item, receipt)
);
