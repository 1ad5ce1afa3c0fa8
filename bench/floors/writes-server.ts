import { createLog } from '../../server/src/shared/log.ts'
import { openDatabase } from '../../server/src/storage/database.ts'
import { serveBare } from './bare-server.ts'
import { insertBareBrain } from './brain.ts'
import { insertRows } from './insert-rows.ts'
import { nextChangeId, type RecordRows, toAnswer, toRows } from './rows.ts'

// The floor of writes: parses the body, gathers what arrives while a commit is under way, writes the group in one
// statement that is its own transaction, answers after the commit. It keeps the Brain's position in memory, so it takes
// no lock; it knows nobody's key, checks nothing, and makes no cursor that opens again.
// Called with the database's URL and the most writes of one group; 1 is a transaction for each write.

const [url = '', maxInGroup = '256'] = process.argv.slice(2)
const { pool } = openDatabase(url, createLog('error'), 2)
const brainId = await insertBareBrain(pool)

type Waiting = {
  body: Parameters<typeof toRows>[0]
  resolve: (rows: RecordRows) => void
  reject: (error: unknown) => void
}
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

serveBare(async (_request, bytes) => {
  const body = JSON.parse(bytes.toString('utf8'))
  const rows = await new Promise<RecordRows>((resolve, reject) => {
    queue.push({ body, resolve, reject })
    void work()
  })
  return { status: 201, text: toAnswer(rows) }
})
