-- The audit log is read by who did something, too: by a key, or by a person with all their keys.
create index audit_entries_actor on audit_entries (organization_id, (actor ->> 'id'), id);
create index audit_entries_person on audit_entries (organization_id, (actor ->> 'userId'), id) where actor ->> 'userId' is not null;
