-- Brain webhooks are looked for from Brain to Brain, so that many that are due in one cannot hide those of another.
create index brain_webhooks_due_by_brain on brain_webhooks (brain_id, due_at) where due_at is not null;
drop index brain_webhooks_due;
