-- How many requests each key, organization and address may send now, as all nodes know it together. A crash of the
-- database empties it, and everybody begins anew: that is worth less than a log of every request.
create unlogged table rate_buckets (
  name text primary key,
  tokens double precision not null,
  at timestamptz not null,
  per_second double precision not null,
  burst double precision not null
) with (fillfactor = 50);
