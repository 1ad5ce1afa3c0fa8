-- The live statements of a subject by predicate: a new statement is compared with those that say something else.
create index statements_said on statements (brain_id, subject_id, predicate, id) where to_state is null;
