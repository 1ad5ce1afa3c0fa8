import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { databaseName, databaseUser } from './cluster.ts'
import { toErrorCode } from './file-errors.ts'
import type { Postmaster } from './postmaster-file.ts'

// "noema" in ASCII, so that no other advisory lock of the database meets it by chance.
const lockNumber = String(0x6e6f656d61)

// A killed owner's session lives until its server process notices the lost client.
const maxLockWaitMilliseconds = 2_000

// A server that hangs must not hang us with it.
const answerMilliseconds = 5_000

/** The database is another Noema's; the message is a line for the operator. */
export class DataFolderInUse extends Error {
  constructor(home: string) {
    super(
      `The data folder ${home} is in use by another Noema: stop that one, or set NOEMA_DATA_DIR to a folder of its own for this one.`,
    )
    this.name = 'DataFolderInUse'
  }
}

/** A connection with its socket, which can stop keeping the process alive. */
export type Session = { client: Client; socket: Socket }

/** The outcome of one attempt to connect. */
export type Attempt = Session | 'unreachable' | 'starting' | 'full'

/** Connects once. Other failures than those a server has while it starts, stops or is busy are thrown. */
export async function connectOnce(postmaster: Postmaster): Promise<Attempt> {
  const socket = new Socket()
  const client = new Client({
    host: postmaster.host,
    port: postmaster.port,
    user: databaseUser,
    database: databaseName,
    password: '',
    ssl: false,
    application_name: 'noema owner',
    connectionTimeoutMillis: answerMilliseconds,
    query_timeout: answerMilliseconds,
    stream: () => socket,
  })
  // The owner of the client learns of its end otherwise; an unhandled error event would end our process.
  client.on('error', () => {})
  try {
    await client.connect()
    return { client, socket }
  } catch (error) {
    socket.destroy()
    return toAttempt(error)
  }
}

function toAttempt(error: unknown): Attempt {
  const code = toErrorCode(error)
  // cannot_connect_now: the server starts up, recovers or shuts down.
  if (code === '57P03') return 'starting'
  if (code === '53300') return 'full'
  // Class 57 is the server's own shutdown or crash, seen from a session that it was about to open.
  if ((error instanceof DatabaseError && !code.startsWith('57')) || code === 'EACCES') throw error
  return 'unreachable'
}

/** Takes the owner's lock for the life of the connection, and returns whether it succeeded. */
export async function takeLock({ client }: Session): Promise<boolean> {
  const deadline = Date.now() + maxLockWaitMilliseconds
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [lockNumber])
    if (rows[0]?.taken === true) return true
    if (Date.now() > deadline) return false
    await delay(50)
  }
}

/** The version that the server reports ("18.4"). */
export async function serverVersion({ client }: Session): Promise<string> {
  const { rows } = await client.query<{ server_version: string }>('show server_version')
  return rows[0]?.server_version ?? ''
}
