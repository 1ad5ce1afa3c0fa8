-- The files of skills by their ids, in the order of bytes whatever the collation of the database: the current ones, and those of
-- earlier states. Other documents are in neither index.
create index document_versions_skills on document_versions (brain_id, id collate "C")
  where to_state is null and id like 'skills/%';
create index document_versions_skill_states on document_versions (brain_id, id collate "C", from_state)
  where id like 'skills/%';
