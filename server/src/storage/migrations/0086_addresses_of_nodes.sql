-- Where other nodes reach a node, if it takes writes from them.
alter table nodes add column address text;
