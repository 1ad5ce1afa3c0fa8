-- The span of the request that made a change or decided on it, where it was traced: the 16 bytes of its trace's id and the 8 of
-- its own. What follows from the change, such as a delivery of its events, is told of in the same trace, whichever node does it.
alter table changes add column trace bytea;
