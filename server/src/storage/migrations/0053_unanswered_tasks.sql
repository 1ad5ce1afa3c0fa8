-- What a run asked in the turn that ended it stayed open, and could not be answered.
update run_tasks as task set state = 'expired', completed_at = run.completed_at
from runs as run
where task.state = 'open' and run.organization_id = task.organization_id and run.id = task.run_id
  and run.completed_at is not null;
