-- How many bytes of content were written to a Brain on a UTC day, beside how many operations. A day of its own: nodes of the
-- version before count operations alone.
alter table brains
  add column bytes_day date not null default '1970-01-01',
  add column bytes_today bigint not null default 0;
