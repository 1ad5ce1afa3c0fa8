-- Ways to sign in beside a password: people of an OpenID provider, codes of a second factor, and passkeys. The quoted names are
-- Better Auth's own; a test compares these tables with what its version expects.

alter table "user" add column "twoFactorEnabled" boolean default false;

-- The secret and the codes are encrypted by the service's secret. Failures are counted elsewhere, for each network.
create table "twoFactor" (
  id text primary key,
  secret text not null,
  "backupCodes" text not null,
  "userId" text not null unique references "user" (id) on delete cascade,
  verified boolean default true,
  "failedVerificationCount" integer default 0,
  "lockedUntil" timestamptz
);

-- A passkey belongs to one account: whoever shows another's is not let in by it.
create table passkey (
  id text primary key,
  name text,
  "publicKey" text not null,
  "userId" text not null references "user" (id) on delete cascade,
  "credentialID" text not null unique,
  counter integer not null,
  "deviceType" text not null,
  "backedUp" boolean not null,
  transports text,
  "createdAt" timestamptz,
  aaguid text
);
create index passkey_user_id on passkey ("userId");

-- A person of an OpenID provider is its issuer, a space and their subject there. They have one account, and an account has one of
-- an issuer.
create unique index account_identity on account ("accountId") where "providerId" = 'oidc';
create unique index account_issuer on account ("userId", split_part("accountId", ' ', 1)) where "providerId" = 'oidc';

create index verification_expires_at on verification ("expiresAt");
