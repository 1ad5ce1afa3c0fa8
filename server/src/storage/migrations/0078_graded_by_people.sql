-- Tasks that ask people to grade a case of an eval. `eval_run_id` is null for the questions of runs; tasks of evals have no run, and
-- empty texts in place of the ids of run, agent and operation. `eval_place`: the case, the trial and the grader.
alter table run_tasks add column eval_run_id text;
alter table run_tasks add column eval_id text;
alter table run_tasks add column eval_place text collate "C";
create unique index run_tasks_by_eval on run_tasks (organization_id, eval_run_id, eval_place) where eval_run_id is not null;
