-- Results of required evals are looked at again while their changes wait, and run again once they are stale. `reruns`: so often by itself.
alter table change_evals add column reruns integer not null default 0;
