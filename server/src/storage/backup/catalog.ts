import type pg from 'pg'

/** A table as a backup has it: its name and the columns that are stored, in order. */
export type StoredTable = { table: string; columns: string[] }

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Lists the tables of the current schema with their stored columns; computed columns are computed again. */
export const readTables = async (client: pg.Client): Promise<StoredTable[]> => {
  const { rows } = await client.query<StoredTable>(`
    select class.relname as table, array_agg(attribute.attname::text order by attribute.attnum) as columns
    from pg_class as class join pg_attribute as attribute on attribute.attrelid = class.oid
    where class.relkind in ('r', 'p') and not class.relispartition and class.relnamespace = current_schema()::regnamespace
      and attribute.attnum > 0 and not attribute.attisdropped and attribute.attgenerated = ''
    group by class.relname order by class.relname`)
  return rows
}

/** Lists the references between tables, by name. */
const readReferences = async (client: pg.Client): Promise<{ from: string; to: string }[]> => {
  const { rows } = await client.query<{ from: string; to: string }>(`
    select distinct source.relname as from, target.relname as to
    from pg_constraint as constraint_ join pg_class as source on source.oid = constraint_.conrelid
      join pg_class as target on target.oid = constraint_.confrelid
    where constraint_.contype = 'f' and source.relnamespace = current_schema()::regnamespace and source.oid <> target.oid
    order by 1, 2`)
  // Tables that are divided over several servers do not have this one; those of one server, into which they may be restored, do.
  return [...rows, { from: 'brains', to: 'organization' }]
}

/** Orders tables so that each follows those that it refers to. */
export const orderTables = async (client: pg.Client, tables: readonly StoredTable[]): Promise<StoredTable[]> => {
  const references = await readReferences(client)
  const ordered: StoredTable[] = []
  const waiting = new Set(tables)
  while (waiting.size > 0) {
    const names = new Set([...waiting].map(({ table }) => table))
    const ready = [...waiting].filter(
      ({ table }) => !references.some(({ from, to }) => from === table && names.has(to)),
    )
    if (ready.length === 0) throw new Error(`These tables refer to each other in a circle: ${[...names].join(', ')}.`)
    for (const table of ready) waiting.delete(table)
    ordered.push(...ready)
  }
  return ordered
}

/** The sequence of Brains' numbers, in databases whose tables are divided over several servers and in others. */
const dividedNumbers = 'brain_numbers'
const wholeNumbers = 'brains_brain_id_seq'

export type Sequence = { name: string; last: string; isCalled: boolean }

/** Reads the values of the schema's sequences. */
export const readSequences = async (client: pg.Client): Promise<Sequence[]> => {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relkind = 'S' and relnamespace = current_schema()::regnamespace order by relname`)
  const sequences: Sequence[] = []
  for (const { name } of rows) {
    const { rows: values } = await client.query<{ last: string; isCalled: boolean }>(
      `select last_value::text as last, is_called as "isCalled" from ${quoteName(name)}`,
    )
    for (const value of values) sequences.push({ name: name === dividedNumbers ? wholeNumbers : name, ...value })
  }
  return sequences
}

/** Sets a sequence as a backup has it. */
export const setSequence = async (client: pg.Client, isDivided: boolean, { name, last, isCalled }: Sequence) => {
  const own = isDivided && name === wholeNumbers ? dividedNumbers : name
  await client.query('select setval($1::regclass, $2::bigint, $3)', [quoteName(own), last, isCalled])
}

/** The applied migrations of a database, with the checksums of their texts. */
export const readMigrations = async (client: pg.Client): Promise<{ number: number; checksum: string }[]> => {
  const { rows } = await client.query<{ number: number; checksum: string }>(
    'select number, checksum from schema_migrations order by number',
  )
  return rows
}
