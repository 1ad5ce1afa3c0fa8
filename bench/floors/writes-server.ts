import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { serveBare } from './bare-server.ts'
import { insertBareBrain } from './brain.ts'
import { insertRows } from './insert-rows.ts'
import { nextChangeId, type RecordRows, toAnswer, toRows } from './rows.ts'

// The floor of writes: parses the body, collects the requests for a Brain during a commit of it, writes the group in one
// statement that is its own transaction, and answers after the commit. It keeps the Brains' positions in memory, so it
// takes no lock and no other process may write to its Brains; it checks no key and no content, and makes no cursor that can
// be opened. Each path is a Brain. Arguments: the database's URL, the maximum number of writes in a group (1 is a
// transaction for each write), and the name of its Brains.

const [url = '', maxInGroup = '256', name = 'bench'] = process.argv.slice(2)
const { pool } = openDatabase(url, createLog('error'), 4)

type Waiting = {
  body: Parameters<typeof toRows>[0]
  resolve: (rows: RecordRows) => void
  reject: (error: unknown) => void
}

type Writer = (body: Waiting['body']) => Promise<RecordRows>

const createWriter = async (path: string): Promise<Writer> => {
  const brainId = await insertBareBrain(pool, `${name}${path.slice(1)}`)
  const queue: Waiting[] = []
  let underWay = false
  let written = 0

  const commit = async (group: readonly Waiting[]): Promise<void> => {
    const at = new Date().toISOString()
    const rows = group.map(({ body }, index) => {
      const place = written + index + 1
      return toRows(body, { change: nextChangeId(), stateVersion: place, position: place, at })
    })
    try {
      await pool.query(insertRows({ brainId, at, rows, writesToday: written + group.length }))
      written += group.length
      for (const [index, row] of rows.entries()) group[index]?.resolve(row)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  const work = async (): Promise<void> => {
    if (underWay) return
    underWay = true
    while (queue.length > 0) await commit(queue.splice(0, Number(maxInGroup)))
    underWay = false
  }

  return (body) =>
    new Promise<RecordRows>((resolve, reject) => {
      queue.push({ body, resolve, reject })
      void work()
    })
}

const writers = new Map<string, Promise<Writer>>()

serveBare(async ({ url: path = '/' }, bytes) => {
  const writer = writers.get(path) ?? createWriter(path)
  writers.set(path, writer)
  const rows = await (await writer)(JSON.parse(bytes.toString('utf8')))
  return { status: 201, text: toAnswer(rows) }
})
