-- The crossings of dates: when a value of a record is as near as its field is to be notified of. One row for each that is
-- still to come, and one for each that the stream told of, which is kept so that it is never told again.
-- value is the moment that the field holds, however it was spelled; a date is the start of its day in UTC.

create table date_crossings (
  brain_id bigint not null,
  record_id text not null,
  field text not null,
  value timestamptz not null,
  "offset" text not null,
  due_at timestamptz not null,
  emitted_at timestamptz,
  primary key (brain_id, record_id, field, value, "offset")
);
create index date_crossings_pending on date_crossings (brain_id, due_at, record_id, field, value, "offset")
  where emitted_at is null;

-- Schemas could want dates told before anything told of them: what their records hold is awaited from now on.
-- Text that is no date of its type has no moment, and what lies before all calendars is past.
create function pg_temp.moment_of(type text, value text, before text) returns timestamptz language plpgsql as $$
begin
  return case when value ~ case type when 'date' then '^\d{4}-\d\d-\d\d$'
      else '^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$' end
    then (date_trunc('milliseconds', value::timestamptz) at time zone 'UTC' - before::interval) at time zone 'UTC' end;
exception when others then return null;
end $$;

insert into date_crossings (brain_id, record_id, field, value, "offset", due_at)
select brain.brain_id, version.id, field ->> 'name', pg_temp.moment_of(field ->> 'type', value, 'P0D'), before, due.at
from brains as brain
join brain_schemas as schema using (brain_id, schema_version)
cross join json_array_elements(schema.kinds) as kinds (declared)
cross join json_array_elements(declared -> 'fields') as fields (field)
cross join json_array_elements_text(field -> 'notifyBefore') as durations (before)
join record_versions as version on version.brain_id = brain.brain_id and version.kind = declared ->> 'kind'
  and version.to_state is null
cross join lateral (select version.record -> 'fields' -> (field ->> 'name') as held) as content
cross join lateral json_array_elements_text(
  case json_typeof(held) when 'array' then held else json_build_array(held) end) as held_values (value)
cross join lateral (select pg_temp.moment_of(field ->> 'type', value, before) as at) as due
where brain.deleted_at is null and due.at > now()
on conflict do nothing;

drop function pg_temp.moment_of(text, text, text);
