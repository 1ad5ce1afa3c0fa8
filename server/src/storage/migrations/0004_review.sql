-- What review needs of a change: its items, what it was proposed on, who decided it, and when it is to be published.
-- items holds the operations with the versions that they found and made; a change that is not applied can be applied by it.

alter table changes
  add column submitted_by_user text,
  add column reason text,
  add column supersedes text,
  add column base_state bigint not null default 0,
  add column items json not null default '[]',
  add column decided_by text,
  add column decided_at timestamptz,
  add column decision_reason text,
  add column publish_at timestamptz,
  add column blocked_by text;

-- Most changes were applied as they were written; the queue is the rest.
create index changes_queue on changes (brain_id, decision, application, id) where application <> 'applied';
create index changes_scheduled on changes (publish_at) where application = 'scheduled';
create index document_versions_hash on document_versions (brain_id, hash) where to_state is null;
