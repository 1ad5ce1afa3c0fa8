-- Sent mail leaves that it was sent, and no text. What was not sent is kept until what it links to works no longer.
alter table mail_outbox
  add column kind text,
  add column expires_at timestamptz not null default now() + interval '2 days';
update mail_outbox set body = '' where sent_at is not null;
create index mail_outbox_recipient on mail_outbox (recipient, created_at);
create index mail_outbox_expiring on mail_outbox (expires_at) where body <> '';
