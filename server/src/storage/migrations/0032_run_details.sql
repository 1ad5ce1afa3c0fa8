-- The handle of the Brain that a run reaches, where that is one: whose webhooks hear of it.
alter table runs add column brain_handle text;

-- The run that an operation waits for, and how often its model refused for the moment.
alter table run_operations add column child_run_id text;
alter table run_operations add column refusals integer not null default 0;
