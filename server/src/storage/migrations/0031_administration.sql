-- What administrators are told of, and the codes that they give out.

-- email is who it is about, in lower case.
create table admin_events (
  id text primary key,
  kind text not null,
  email text not null,
  summary text not null,
  detail json not null,
  notification_type text,
  created_at timestamptz not null
);
create index admin_events_kind on admin_events (kind, id);
create index admin_events_email on admin_events (email, created_at) where kind = 'access_request';

create table invitation_codes (
  id text primary key,
  code text not null unique,
  label text,
  tier text not null check (tier in ('free', 'business', 'enterprise', 'staff')),
  max_uses integer,
  use_count integer not null default 0,
  expires_at timestamptz,
  created_by text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- The admin event that a mail tells of, which is told once one of its mails has left.
alter table mail_outbox add column about text;
create index mail_outbox_about on mail_outbox (about) where about is not null;
