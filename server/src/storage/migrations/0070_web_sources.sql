-- Web sources: pages of the web that are documents of a Brain. `refresh_hours` is null if they are fetched only on request.
-- `due_at`: when a page is to be fetched or a change to be written; null if nothing is due.
create table web_sources (
  brain_id bigint not null,
  name text collate "C" not null,
  id text not null,
  revision integer not null,
  refresh_hours integer,
  author json not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  requested_at timestamptz,
  refreshed_at timestamptz,
  last_change text,
  problem text,
  paused_reason text,
  due_at timestamptz,
  failing_since timestamptz,
  failing_organization text,
  primary key (brain_id, name)
);
-- Sources that are paused, or have pages that failed several times in a row.
create index web_sources_failing on web_sources (failing_organization, id) where failing_organization is not null;
create index web_sources_due on web_sources (brain_id, due_at) where due_at is not null;

-- The pages of a web source. `hash`: of the text that a change wrote last. `pending`: what was fetched since and differs, until a
-- change writes it. `missing` counts the refreshes in a row at which the page did not exist, since `missing_since`.
create table web_pages (
  brain_id bigint not null,
  source text collate "C" not null,
  document_id text collate "C" not null,
  url text not null,
  is_removed boolean not null default false,
  next_at timestamptz,
  checked_at timestamptz,
  fetched_at timestamptz,
  status integer,
  error text,
  failures integer not null default 0,
  missing integer not null default 0,
  missing_since timestamptz,
  is_retired boolean not null default false,
  etag text,
  last_modified text,
  title text,
  hash text,
  pending json,
  pending_text text,
  primary key (brain_id, source, document_id)
);
create index web_pages_due on web_pages (brain_id, source, next_at) where next_at is not null;
