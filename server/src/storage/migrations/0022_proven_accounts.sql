-- When one person had shown both that the mailbox of an account's address is theirs, and that the account is. Addresses that
-- were confirmed before this was asked count from then on.
alter table "user" add column proven_at timestamptz;
update "user" set proven_at = "updatedAt" where "emailVerified";

-- Keys of a member who left do not come back with them.
update management_keys as key set revoked_at = now()
where revoked_at is null and not exists (
  select from member where member."organizationId" = key.organization_id and member."userId" = key.created_by);
