import { connect } from 'node:net'
import type { TestApp, TestBrain } from './app.ts'

/** An import whose body arrives line by line, as the test sends them. */
export const openImport = (test: TestApp, brain: TestBrain) => {
  const { hostname, port } = new URL(test.base)
  const socket = connect(Number(port), hostname)
  const answered = new Promise<string>((resolve) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      if (/^HTTP\/1\.1 (?!100)/.test(text)) resolve(text)
    })
    socket.on('close', () => resolve(text)).on('error', () => resolve(text))
  })
  const head = [
    `POST ${brain.path}/import HTTP/1.1`,
    `host: ${hostname}`,
    `authorization: Bearer ${brain.key}`,
    'content-type: application/x-ndjson',
    'transfer-encoding: chunked',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  return {
    /** Sends bytes of the body. */
    send: (text: string) => socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`),
    end: () => socket.write('0\r\n\r\n'),
    /** The beginning of the service's answer, or the part before the connection closed. */
    answered,
    drop: () => socket.destroy(),
  }
}

/** The first line of a file that is imported, without history. */
export const importHeader = (name = 'Imported'): string =>
  `${JSON.stringify({
    header: {
      ...{ format: 'noema-brain', version: 1, history: false },
      brain: { name, purpose: null, mode: 'direct', reviewRules: {} },
      ...{ stateVersion: 1, schemaVersion: 0 },
    },
  })}\n`

/** Counts the service's transactions that lock the row of a Brain, or wait for it, including those of its workers. */
export const countOpenTransactions = async (test: TestApp): Promise<number> => {
  const { rows } = await test.database.pool.query(
    `select count(distinct pid)::integer as count from pg_locks
     where database = (select oid from pg_database where datname = current_database())
       and relation = 'brains'::regclass and mode = 'RowShareLock' and pid <> pg_backend_pid()`,
  )
  return rows[0].count
}
