-- Sites of web pages, for all nodes: which node calls one at present, and until when the site asked to wait. A site is a hash of its host, so
-- that nothing here says whose pages anyone reads.
create table web_sites (
  host bytea primary key,
  node text not null,
  held_until timestamptz not null,
  wait_until timestamptz
);
