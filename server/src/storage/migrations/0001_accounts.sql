-- People, their sessions, the organizations they belong to, and the mail that the service owes them.
-- The quoted names are Better Auth's own; a test compares these tables with what its version expects.
-- organization.tier, auth_rate_limits and mail_outbox are Noema's.

create table "user" (
  id text primary key,
  name text not null,
  email text not null unique,
  "emailVerified" boolean not null default false,
  image text,
  "createdAt" timestamptz not null default now(),
  "updatedAt" timestamptz not null default now()
);

create table session (
  id text primary key,
  "expiresAt" timestamptz not null,
  token text not null unique,
  "createdAt" timestamptz not null default now(),
  "updatedAt" timestamptz not null default now(),
  "ipAddress" text,
  "userAgent" text,
  "userId" text not null references "user" (id) on delete cascade,
  "activeOrganizationId" text
);
create index session_user_id on session ("userId");

create table account (
  id text primary key,
  "accountId" text not null,
  "providerId" text not null,
  "userId" text not null references "user" (id) on delete cascade,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" timestamptz,
  "refreshTokenExpiresAt" timestamptz,
  scope text,
  password text,
  "createdAt" timestamptz not null default now(),
  "updatedAt" timestamptz not null default now()
);
create index account_user_id on account ("userId");

create table verification (
  id text primary key,
  identifier text not null,
  value text not null,
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null default now(),
  "updatedAt" timestamptz not null default now()
);
create index verification_identifier on verification (identifier);

create table organization (
  id text primary key,
  name text not null,
  slug text not null unique,
  logo text,
  "createdAt" timestamptz not null default now(),
  metadata text,
  tier text not null default 'free' check (tier in ('free', 'business', 'enterprise', 'staff'))
);

create table member (
  id text primary key,
  "organizationId" text not null references organization (id) on delete cascade,
  "userId" text not null references "user" (id) on delete cascade,
  role text not null default 'member',
  "createdAt" timestamptz not null default now(),
  unique ("organizationId", "userId")
);
create index member_user_id on member ("userId");

create table invitation (
  id text primary key,
  "organizationId" text not null references organization (id) on delete cascade,
  email text not null,
  role text,
  status text not null default 'pending',
  "expiresAt" timestamptz not null,
  "createdAt" timestamptz not null default now(),
  "inviterId" text not null references "user" (id) on delete cascade
);
create index invitation_organization_id on invitation ("organizationId");
create index invitation_email on invitation (email);
create index invitation_inviter_id on invitation ("inviterId");

-- One row per address and path of /api/auth: how often it was called in the window that ends at resets_at.
create table auth_rate_limits (
  key text primary key,
  count integer not null,
  resets_at timestamptz not null
);
create index auth_rate_limits_resets_at on auth_rate_limits (resets_at);

-- A message without next_attempt_at is not due: it was sent, given up, or written while no mail server was set.
create table mail_outbox (
  id text primary key,
  recipient text not null,
  subject text not null,
  body text not null,
  created_at timestamptz not null,
  sent_at timestamptz,
  attempts integer not null default 0,
  next_attempt_at timestamptz,
  last_error text
);
create index mail_outbox_unsent on mail_outbox (next_attempt_at) where sent_at is null;
create index mail_outbox_created_at on mail_outbox (created_at);
