-- Apps: programs that people let in through OAuth. A grant is a row of brain_keys or management_keys with an app, so that it
-- has the caps, rates, audit and receipts of a key. Nothing has the hash of a grant: its tokens are rows of "oauthAccessToken"
-- that name it by "referenceId".
-- The quoted names are Better Auth's own; a test compares these tables with what its version expects.

create table "oauthClient" (
  id text primary key,
  "clientId" text not null unique,
  "clientSecret" text,
  "clientDiscoveryId" text,
  disabled boolean,
  "skipConsent" boolean,
  "enableEndSession" boolean,
  "subjectType" text,
  scopes jsonb,
  "clientCredentialsScopes" jsonb,
  "userId" text references "user" (id) on delete cascade,
  "createdAt" timestamptz,
  "updatedAt" timestamptz,
  name text,
  uri text,
  icon text,
  contacts jsonb,
  tos text,
  policy text,
  "softwareId" text,
  "softwareVersion" text,
  "softwareStatement" text,
  "redirectUris" jsonb not null,
  "postLogoutRedirectUris" jsonb,
  "backchannelLogoutUri" text,
  "backchannelLogoutSessionRequired" boolean,
  "tokenEndpointAuthMethod" text,
  "applicationType" text,
  jwks text,
  "jwksUri" text,
  "grantTypes" jsonb,
  "responseTypes" jsonb,
  "requirePKCE" boolean,
  "dpopBoundAccessTokens" boolean,
  "referenceId" text,
  metadata jsonb
);
create index "oauthClient_userId_idx" on "oauthClient" ("userId");
create index "oauthClient_createdAt_idx" on "oauthClient" ("createdAt");

create table "oauthRefreshToken" (
  id text primary key,
  token text not null unique,
  "clientId" text not null references "oauthClient" ("clientId") on delete cascade,
  "sessionId" text references session (id) on delete set null,
  "userId" text not null references "user" (id) on delete cascade,
  "referenceId" text,
  "authorizationCodeId" text,
  resources jsonb,
  "requestedUserInfoClaims" jsonb,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null,
  revoked timestamptz,
  "rotatedAt" timestamptz,
  "rotationReplayResponse" text,
  "rotationReplayExpiresAt" timestamptz,
  "authTime" timestamptz,
  confirmation jsonb,
  scopes jsonb not null
);
create index "oauthRefreshToken_clientId_idx" on "oauthRefreshToken" ("clientId");
create index "oauthRefreshToken_sessionId_idx" on "oauthRefreshToken" ("sessionId");
create index "oauthRefreshToken_userId_idx" on "oauthRefreshToken" ("userId");
create index "oauthRefreshToken_authorizationCodeId_idx" on "oauthRefreshToken" ("authorizationCodeId");
create index "oauthRefreshToken_referenceId_idx" on "oauthRefreshToken" ("referenceId");
create index "oauthRefreshToken_expiresAt_idx" on "oauthRefreshToken" ("expiresAt");

create table "oauthAccessToken" (
  id text primary key,
  token text not null unique,
  "clientId" text not null references "oauthClient" ("clientId") on delete cascade,
  "sessionId" text references session (id) on delete set null,
  "userId" text references "user" (id) on delete cascade,
  "referenceId" text,
  "authorizationCodeId" text,
  resources jsonb,
  "requestedUserInfoClaims" jsonb,
  "refreshId" text references "oauthRefreshToken" (id) on delete cascade,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null,
  revoked timestamptz,
  confirmation jsonb,
  scopes jsonb not null
);
create index "oauthAccessToken_clientId_idx" on "oauthAccessToken" ("clientId");
create index "oauthAccessToken_sessionId_idx" on "oauthAccessToken" ("sessionId");
create index "oauthAccessToken_userId_idx" on "oauthAccessToken" ("userId");
create index "oauthAccessToken_authorizationCodeId_idx" on "oauthAccessToken" ("authorizationCodeId");
create index "oauthAccessToken_refreshId_idx" on "oauthAccessToken" ("refreshId");
create index "oauthAccessToken_referenceId_idx" on "oauthAccessToken" ("referenceId");
create index "oauthAccessToken_expiresAt_idx" on "oauthAccessToken" ("expiresAt");

-- `app_id`: the app that a grant is for; null for a key. A grant of a management key may do less than a key.
alter table brain_keys add column app_id text;
create index brain_keys_app on brain_keys (app_id) where app_id is not null;
create index brain_keys_grant on brain_keys (id) where app_id is not null;
alter table management_keys add column app_id text, add column capabilities text[];
create index management_keys_app on management_keys (app_id) where app_id is not null;
