-- Deliveries to organizations are leased rows from 0017 on. What waited in the queue of jobs waits in organization_deliveries
-- too, so nothing is lost with the queue. Only a schema that is pg-boss's is dropped.
do $$
begin
  if to_regclass('jobs.job') is not null and to_regclass('jobs.queue') is not null and to_regclass('jobs.version') is not null then
    drop schema jobs cascade;
  end if;
end
$$;
