import { SMTPServer } from 'smtp-server'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../../shared/log.ts'
import { createDuePolls } from '../../../storage/due-polls.ts'
import { createTestDatabase } from '../../../test/database.ts'
import { createTurns } from '../../../workers/turns.ts'
import { createMailWork, openMailServer } from './deliver-mail.ts'
import { createMail } from './mail.ts'

type Received = { to: string[]; text: string }

/** A mail server that answers each message with the next of `answers`, and then accepts. */
const startScriptedServer = async (answers: Error[]) => {
  const received: Received[] = []
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const refusal = answers.shift()
        if (!refusal) {
          const to = session.envelope.rcptTo.map((recipient) => recipient.address)
          received.push({ to, text: Buffer.concat(chunks).toString('utf8') })
        }
        done(refusal ?? null)
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { received, url: `smtp://127.0.0.1:${port}`, close }
}

const start = async (answers: Error[] = []) => {
  const database = await createTestDatabase()
  const farEnd = await startScriptedServer(answers)
  let time = Date.parse('2026-03-01T12:00:00.000Z')
  const clock = { now: () => new Date(time) }
  const logged: string[] = []
  const log = createLog('info', { write: (line: string) => logged.push(line) })
  const server = openMailServer({ smtpUrl: farEnd.url, from: 'Noema <noema@example.com>' })
  const topics = { subscribe: () => () => {} }
  const startNode = () =>
    createTurns(
      { clock, log, topics, findDueKeys: createDuePolls(database.db) },
      createMailWork({ db: database.db, clock, log, server }),
    )
  const nodes = [startNode(), startNode()]
  const attempts = async (): Promise<number> =>
    Number((await database.pool.query('select coalesce(sum(attempts), 0) as sum from mail_outbox')).rows[0].sum)
  /** Polls for due emails on `count` nodes, waits for the attempts, and returns their number. */
  const deliver = async (count = 1): Promise<number> => {
    const before = await attempts()
    await Promise.all(nodes.slice(0, count).map(({ run }) => run()))
    for (const { turns } of nodes) await expect.poll(() => turns().running).toBe(0)
    return (await attempts()) - before
  }
  return {
    ...database,
    farEnd,
    logged,
    mail: createMail({ db: database.db, clock, log, delivers: true }),
    undelivered: createMail({ db: database.db, clock, log, delivers: false }),
    deliver,
    after: (minutes: number) => {
      time += minutes * 60_000
    },
    rows: async () => (await database.pool.query('select * from mail_outbox order by id')).rows,
    close: async () => {
      for (const { stop } of nodes) await stop()
      await farEnd.close()
      await database.drop()
    },
  }
}

const letter = { to: 'ada@example.com', subject: 'Grüße', text: 'Open https://noema.example/x?token=1\n' }
const refusal = Object.assign(new Error('mailbox is busy'), { responseCode: 451 })

let office: Awaited<ReturnType<typeof start>> | undefined
const open = async (answers?: Error[]) => {
  office = await start(answers)
  return office
}
beforeEach(() => {
  office = undefined
})
afterEach(() => office?.close())

test('D-12 a message is delivered once, whole, and marked as sent', async () => {
  const { mail, deliver, farEnd, rows } = await open()
  await mail.send(letter)
  expect(await deliver()).toBe(1)
  expect(await deliver()).toBe(0)
  expect(farEnd.received).toHaveLength(1)
  expect(farEnd.received[0]?.to).toEqual(['ada@example.com'])
  expect(farEnd.received[0]?.text).toContain('From: Noema <noema@example.com>')
  expect(farEnd.received[0]?.text).toContain('https://noema.example/x?token')
  expect(await rows()).toMatchObject([{ sent_at: new Date('2026-03-01T12:00:00.000Z'), attempts: 1, last_error: null }])
})

test('a sent email leaves no text behind, and a pending one keeps its text', async () => {
  const { mail, undelivered, deliver, rows } = await open()
  await mail.send(letter)
  await undelivered.send(letter)
  await deliver()
  expect(await rows()).toMatchObject([{ body: '' }, { body: letter.text, sent_at: null }])
})

test('D-12 without a mail server a message is stored and logged whole, and never due', async () => {
  const { undelivered, deliver, rows, logged } = await open()
  await undelivered.send(letter)
  expect(await deliver()).toBe(0)
  expect(await rows()).toMatchObject([
    { recipient: 'ada@example.com', subject: 'Grüße', body: letter.text, sent_at: null },
  ])
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ level: 'info', mail: letter }])
})

test('a message to be delivered is not logged', async () => {
  const { mail, logged } = await open()
  await mail.send(letter)
  expect(logged).toEqual([])
})

test('a message commits with the transaction that it is sent within, or not at all', async () => {
  const { mail, db, rows } = await open()
  const broken = db.transaction().execute(async (tx) => {
    await mail.send(letter, tx)
    throw new Error('rolled back')
  })
  await expect(broken).rejects.toThrow('rolled back')
  expect(await rows()).toEqual([])
})

test('a refused message is tried again after 1, 5, 30 and 120 minutes, then given up with its last error', async () => {
  const { mail, deliver, after, rows, farEnd } = await open(Array(5).fill(refusal))
  await mail.send(letter)
  expect(await deliver()).toBe(1)
  for (const minutes of [1, 5, 30, 120]) {
    after(minutes - 0.5)
    expect(await deliver()).toBe(0)
    after(0.5)
    expect(await deliver()).toBe(1)
  }
  after(100_000)
  expect(await deliver()).toBe(0)
  expect(farEnd.received).toEqual([])
  expect(await rows()).toMatchObject([
    { attempts: 5, sent_at: null, next_attempt_at: null, last_error: expect.stringContaining('mailbox is busy') },
  ])
})

test('a message refused once arrives on the next attempt and no longer shows an error', async () => {
  const { mail, deliver, after, rows, farEnd } = await open([refusal])
  await mail.send(letter)
  await deliver()
  after(1)
  await deliver()
  expect(farEnd.received).toHaveLength(1)
  expect(await rows()).toMatchObject([{ attempts: 2, last_error: null }])
})

test('an unreachable mail server is a failed attempt, not a crash', async () => {
  const { mail, deliver, rows, farEnd } = await open()
  await farEnd.close()
  await mail.send(letter)
  expect(await deliver()).toBe(1)
  expect(await rows()).toMatchObject([
    { attempts: 1, sent_at: null, last_error: expect.stringContaining('ECONNREFUSED') },
  ])
})

test('a message leased by a node that died is sent by another once the lease ran out', async () => {
  const { mail, deliver, after, pool, farEnd } = await open()
  await mail.send(letter)
  await pool.query(`update mail_outbox set attempts = 1, next_attempt_at = next_attempt_at + interval '3 minutes'`)
  expect(await deliver()).toBe(0)
  after(3)
  expect(await deliver()).toBe(1)
  expect(farEnd.received).toHaveLength(1)
})

test('two nodes that deliver at once send every message once', async () => {
  const { mail, deliver, farEnd } = await open()
  for (let count = 0; count < 25; count++) await mail.send({ ...letter, to: `person${count}@example.com` })
  while ((await deliver(2)) > 0);
  expect(farEnd.received.map((one) => one.to[0]).sort()).toHaveLength(25)
  expect(new Set(farEnd.received.map((one) => one.to[0])).size).toBe(25)
})

test('NTF-07 a message reaches its mail server with the headers that it was given', async () => {
  const { mail, deliver, farEnd } = await open()
  const headers = {
    'List-Unsubscribe': '<https://noema.test/unsubscribe?token=x>',
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  }
  await mail.send({ to: 'a@example.com', subject: 'News', text: 'Some.', headers })
  await deliver()
  for (const [name, value] of Object.entries(headers)) expect(farEnd.received[0]?.text).toContain(`${name}: ${value}`)
})
