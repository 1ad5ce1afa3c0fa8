-- How many bytes the content of a version has as JSON text, so that a write knows how much it would read. Versions from before
-- have none: theirs is computed when it is needed.
alter table record_versions add column size integer;
alter table statements add column size integer;
alter table document_versions add column size integer;
