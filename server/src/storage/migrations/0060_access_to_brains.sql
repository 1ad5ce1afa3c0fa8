-- Brains that are open to named members only. A Brain without a row here is open to its organization, so that nothing about
-- existing Brains changes. Nodes of the version before do not know these tables: restrict no Brain before all nodes are new.
create table restricted_brains (
  brain_id bigint primary key,
  organization_id text not null,
  restricted_at timestamptz not null,
  -- The owner who took it over last, and when: its managers are notified for a week.
  taken_over_by text,
  taken_over_at timestamptz
);
create index restricted_brains_of_organization on restricted_brains (organization_id, brain_id);

-- The members that a restricted Brain is open to.
create table brain_members (
  brain_id bigint not null,
  organization_id text not null,
  user_id text not null,
  role text not null check (role in ('reader', 'writer', 'reviewer', 'manager')),
  added_at timestamptz not null,
  added_by text not null,
  primary key (brain_id, user_id)
);
create index brain_members_of_user on brain_members (organization_id, user_id);
