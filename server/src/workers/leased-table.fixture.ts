import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { LeasedRow, LeasedWork, Turn } from '../shared/concurrency/leased-work.ts'
import { createTopics, type Topic } from '../shared/concurrency/topics.ts'
import { createLog } from '../shared/log.ts'
import { createDuePolls } from '../storage/due-polls.ts'
import { chooseByShares, selectDueKeys, toShares } from '../storage/lease-queries.ts'
import { createTestClock } from '../test/clock.ts'
import { createTestDatabase } from '../test/database.ts'
import { createTurns } from './turns.ts'

// A table of leased rows whose turns last until the test ends them.

type Outcome = { result: string }
type Row = LeasedRow & { id: string }
type Running = { row: Row; turn: Turn<Outcome>; end: (isUnfinished?: boolean) => void }

/** Topics of nodes that notify each other. */
const createExchange = () => {
  const listeners = new Set<(topic: Topic) => void>()
  return () => {
    let mine = (_topic: Topic) => {}
    return createTopics({
      send: async (topics) => {
        for (const listen of listeners) if (listen !== mine) for (const topic of topics) listen(topic)
      },
      listen: (receive) => {
        mine = receive
        listeners.add(receive)
      },
      close: async () => void listeners.delete(mine),
    })
  }
}

const useTable = () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>
  const clock = createTestClock()
  const openTopics = createExchange()
  const stops: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    database = await createTestDatabase()
    await database.pool.query(`create table work (organization text not null, id text primary key, due_at timestamptz,
      lease text, results text[] not null default '{}')`)
  })
  beforeEach(() => database.pool.query('truncate work'))
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop()
  })
  afterAll(() => database.drop())
  return { clock, openTopics, stops, database: () => database }
}

type Table = ReturnType<typeof useTable>

/** The rows as leased work. */
const createTableWork = ({ database }: Table) => {
  const lease: LeasedWork<Row, Outcome>['lease'] = async ({ keys, lease: token, now, until, running }) => {
    const { rows } = await sql<Row & { left: string | null }>`
      with candidate as (select id, organization, due_at as due from work
        where organization = any(${[...keys]}) and due_at <= ${now}),
      chosen as materialized (${chooseByShares(toShares(running))}),
      locked as (select work.id from chosen join work using (id)
        where is_chosen and work.due_at <= ${now} for update of work skip locked),
      leased as (update work set lease = ${token}, due_at = ${until} from locked where work.id = locked.id
        returning work.id, work.id as owner, organization as key, organization, lease)
      select leased.*, null as left from leased
      union all select null, null, null, null, null, organization from chosen where not is_chosen group by organization
    `.execute(database().db)
    return {
      rows: rows.filter(({ left }) => left === null),
      left: rows.flatMap(({ left }) => (left === null ? [] : { key: left, organization: left, limit: 'organization' })),
    }
  }

  const storeOutcomes: LeasedWork<Row, Outcome>['storeOutcomes'] = async (settlements) => {
    const given = settlements.map(({ row: { id, lease: token }, outcome }) => ({ id, token, ...outcome }))
    const { rows } = await sql<{ id: string }>`update work set results = results || given.result
      from json_to_recordset(${JSON.stringify(given)}::json) as given (id text, token text, result text)
      where work.id = given.id and work.lease = given.token returning work.id`.execute(database().db)
    return given.map(({ id }) => rows.some((row) => row.id === id))
  }

  const dueKeys: LeasedWork<Row, Outcome>['dueKeys'] = (page) =>
    selectDueKeys({ table: 'work', key: 'organization' }, page)
  return { lease, storeOutcomes, dueKeys }
}

/** A node that processes rows; a turn lasts until the test ends it. */
const startNode = (table: Table, given: Partial<LeasedWork<Row, Outcome>>) => {
  const turns = new Set<Running>()
  const waiting = new Set<() => void>()
  const topics = table.openTopics()
  const run = (row: Row, turn: Turn<Outcome>) =>
    new Promise<boolean>((resolve) => {
      const end = (isUnfinished = false) => {
        turns.delete(running)
        resolve(isUnfinished)
      }
      const running: Running = { row, turn, end }
      turns.add(running)
      for (const look of waiting) look()
    })
  const work: LeasedWork<Row, Outcome> = {
    ...{ name: 'test', maxTurns: 10, leaseSeconds: 30, maxKeys: 5, topic: 'organization:' },
    ...{ run, ...createTableWork(table), ...given },
  }
  const findDueKeys = createDuePolls(table.database().db)
  const deps = { clock: table.clock, log: createLog('silent'), topics, findDueKeys, random: () => 1 }
  const engine = createTurns(deps, work)
  engine.start()
  table.stops.push(async () => {
    for (const { end } of turns) end()
    await engine.stop()
    await topics.close()
  })
  /** The running turns, of an organization or all, in the order of their start. */
  const listTurns = (organization?: string) =>
    [...turns].filter(({ row }) => organization === undefined || row.organization === organization)
  return {
    ...{ engine, listTurns },
    publish: (organization: string) => topics.publish(`organization:${organization}`),
    /** Waits until this number of turns runs. */
    running: (count: number, organization?: string): Promise<Running[]> =>
      new Promise((resolve) => {
        const look = () => {
          const found = listTurns(organization)
          if (found.length < count) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}

export const useLeasedTable = () => {
  const table = useTable()
  const { clock, database } = table
  return {
    clock,
    rows: async (): Promise<{ id: string; results: string[] }[]> =>
      (await database().pool.query('select id, results from work order by id')).rows,
    /** Adds due rows of an organization, whose ids begin with its name. */
    add: (organization: string, count: number, first = 0) =>
      database().pool.query(
        `insert into work select $1, $1 || '-' || number, $2 from generate_series($3::int, $3::int + $4::int - 1) as number`,
        [organization, clock.now(), first, count],
      ),
    startNode: (given: Partial<LeasedWork<Row, Outcome>> = {}) => startNode(table, given),
  }
}
