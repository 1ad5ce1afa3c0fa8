-- What administrators decided of requests for access: approved or refused, null while one waits. tier and code are what an approval
-- gave, reason is why one was refused.
alter table admin_events
  add column decision text check (decision in ('approved', 'refused')),
  add column decided_at timestamptz,
  add column decided_by text,
  add column reason text,
  add column tier text,
  add column code text;
create index admin_events_waiting on admin_events (id) where kind = 'access_request' and decision is null;
