-- One role for each member. Lists of roles were taken once, and read by some as an owner's: what they name beside "owner"
-- counts, unless the organization has no other owner.
update member set role = case
    when role ~ '(^|,)\s*owner\s*(,|$)' and not exists (
      select from member as owner where owner."organizationId" = member."organizationId" and owner.role = 'owner') then 'owner'
    when role ~ '(^|,)\s*(owner|admin)\s*(,|$)' then 'admin'
    else 'member' end
where role not in ('owner', 'admin', 'member');
update invitation set status = 'canceled' where status = 'pending' and role not in ('owner', 'admin', 'member');
alter table member add constraint member_role check (role in ('owner', 'admin', 'member'));
alter table invitation
  add constraint invitation_role check (role in ('owner', 'admin', 'member') or status <> 'pending');

-- Rows of sessions have the hash of their token. Nodes of the version before insert tokens, which are hashed on their way.
update session set token = 'sha256:' || encode(sha256(convert_to(token, 'UTF8')), 'hex') where token not like 'sha256:%';
create function hash_session_token() returns trigger language plpgsql as $$
begin
  new.token := 'sha256:' || encode(sha256(convert_to(new.token, 'UTF8')), 'hex');
  return new;
end
$$;
create trigger session_tokens_of_old_nodes before insert or update of token on session
  for each row when (new.token not like 'sha256:%') execute function hash_session_token();
-- What waits here is a link for a new password, good for an hour.
delete from verification;
