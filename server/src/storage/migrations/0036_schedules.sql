-- The instant that a schedule's next run is for, whoever holds its lease and until when: the run's idempotency key.
alter table schedules add column next_at timestamptz;
