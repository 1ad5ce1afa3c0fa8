-- What had begun by an early state is found by the state that it began in.
create index record_versions_state on record_versions (brain_id, from_state);
create index statements_state on statements (brain_id, from_state);
create index document_versions_state on document_versions (brain_id, from_state);
