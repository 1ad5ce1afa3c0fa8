-- What packs brought to a Brain, so that installing one again makes nothing twice. item is what the pack calls it, ref the id of
-- the agent, the trigger or the change.
create table pack_items (
  brain_id bigint not null,
  pack text not null,
  item text not null,
  ref text not null,
  created_at timestamptz not null,
  primary key (brain_id, pack, item)
);
