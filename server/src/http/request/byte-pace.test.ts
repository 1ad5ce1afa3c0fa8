import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { useFiles } from '../../features/files/artifacts/use-files.fixture.ts'
import { addBrain, createMember } from '../../test/app.ts'
import { useOwnApp } from '../../test/harness.ts'
import { createBytePace } from './byte-pace.ts'

// A megabyte a second for one organization, while others use the node.
const app = useOwnApp({ NOEMA_MAX_FILE_RATE: '100/1' })
const { upload, download, openUpload, untilBegun } = useFiles(app)

const MiB = 1024 * 1024

const time = async <Result>(work: () => Promise<Result>) => {
  const start = performance.now()
  const result = await work()
  return { result, milliseconds: performance.now() - start }
}

test('FIL-24 while others use the node, an organization sends and reads files at its rate, and they arrive whole', async () => {
  const [first, second] = [await createMember(app), await createMember(app)]
  const bytes = randomBytes(1.5 * MiB)
  openUpload(second, 'slow.bin').send(Buffer.from('slow'))
  await untilBegun(second, 1)
  const sent = await time(() => upload(first, 'large.bin', { body: bytes }))
  expect(sent.result.status).toBe(201)
  // The bytes of a quarter of a second pass at once, and those that are due within a twentieth.
  expect(sent.milliseconds).toBeGreaterThan(1_150)
  const path = `/v1/artifacts/${sent.result.body.data.artifact.id}/content`
  const read = await time(() => download(path, { authorization: `Bearer ${first.key}` }))
  expect(read.result.bytes.equals(bytes)).toBe(true)
  expect(read.milliseconds).toBeGreaterThan(1_000)
})

test('FIL-24 alone on a node, a session and a key that was not used before are not limited', async () => {
  const member = await createMember(app)
  const body = randomBytes(8 * MiB)
  for (const headers of [{ authorization: `Bearer ${member.key}` }, member.session]) {
    const path = `/v1/artifacts?path=fast-${Object.keys(headers)[0]}.bin`
    const sent = await time(() => fetch(app.base + path, { method: 'POST', headers: { ...headers }, body }))
    expect(sent.result.status).toBe(201)
    // Limited, it would take almost eight seconds.
    expect(sent.milliseconds).toBeLessThan(6_000)
  }
})

test('FIL-26 while others use the node, exports and imports have the same limit, and they arrive whole', async () => {
  const [first, second] = [await createMember(app), await createMember(app)]
  const brain = await addBrain(app, first, 'full')
  const fields = { text: 'x'.repeat(9_000) }
  const operations = Array.from({ length: 24 }, (_, n) => ({ op: 'record.put', id: `r${n}`, kind: 'note', fields }))
  await brain.call('POST', '/batch', { operations })
  openUpload(second, 'slow.bin').send(Buffer.from('slow'))
  await untilBegun(second, 1)
  const authorization = `Bearer ${first.key}`
  const read = await time(() => download('/v1/brains/full/export', { authorization }))
  expect(read.result.bytes.toString().trim().split('\n').length).toBeGreaterThan(24)
  // A fifth of a megabyte counts as 1.6.
  expect(read.milliseconds).toBeGreaterThan(1_200)
  await app.request('PUT', '/v1/brains/copy', { key: first.key, body: {} })
  const sent = await time(() =>
    fetch(`${app.base}/v1/brains/copy/import`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/x-ndjson' },
      body: new Uint8Array(read.result.bytes),
    }),
  )
  expect(sent.result.status).toBe(200)
  expect(sent.milliseconds).toBeGreaterThan(1_200)
})

/** A virtual clock: it advances to the earliest wake-up once every sender sleeps. */
const createVirtualTimer = () => {
  let time = 0
  const sleepers: { at: number; wake(): void }[] = []
  return {
    now: () => time,
    sleep: (milliseconds: number) => new Promise<void>((wake) => void sleepers.push({ at: time + milliseconds, wake })),
    runUntil: async (end: number) => {
      for (;;) {
        // All that can go on do so before the clock moves.
        await new Promise((resolve) => setImmediate(resolve))
        sleepers.sort((a, b) => a.at - b.at)
        const next = sleepers[0]
        if (!next || next.at > end) break
        time = next.at
        sleepers.shift()
        next.wake()
      }
      time = end
    },
  }
}

/** The bytes that each organization got in ten seconds. `pieces` of each, sent by so many bodies at once or one after the other. */
const grant = async (
  senders: Record<string, { bodies: number; bytes?: number }>,
  rates = { node: 8, organization: 6 },
) => {
  const timer = createVirtualTimer()
  const limits = { node: rates.node * MiB, organization: rates.organization * MiB }
  const isShared = (organization: string) => Object.keys(senders).some((other) => other !== organization)
  const pace = createBytePace(limits, isShared, timer)
  const granted = new Map<string, number>()
  const isOver = () => timer.now() >= 10_000
  async function* cut(bytes: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes && !isOver(); at += MiB / 4) yield Buffer.alloc(MiB / 4)
  }
  const send = async (organization: string, bytes: number) => {
    while (!isOver()) {
      for await (const piece of pace({ organization, key: organization }, 'file', cut(bytes))) {
        if (isOver()) return
        granted.set(organization, (granted.get(organization) ?? 0) + piece.length)
      }
      // One that has all of its bytes sends again a while later.
      if (bytes < MiB / 2) await timer.sleep(500)
    }
  }
  for (const [organization, { bodies, bytes = 1024 * MiB }] of Object.entries(senders))
    for (let n = 0; n < bodies; n++) void send(organization, bytes)
  await timer.runUntil(10_000)
  return (organization: string) => (granted.get(organization) ?? 0) / MiB
}

test('FIL-24 an organization that has the node to itself is not paced', async () => {
  // At this rate, the bytes would take two weeks.
  const pace = createBytePace({ node: 1, organization: 1 }, () => false)
  const bytes = randomBytes(MiB)
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += MiB / 4) yield bytes.subarray(at, at + MiB / 4)
  }
  const passed = await Array.fromAsync(pace({ organization: 'alone', key: 'key' }, 'file', pieces()))
  expect(Buffer.concat(passed).equals(bytes)).toBe(true)
})

test('FIL-24 organizations that send at the same time share the rate of the node, regardless of how many files each sends', async () => {
  const mebibytes = await grant({ greedy: { bodies: 8 }, other: { bodies: 1 } })
  for (const organization of ['greedy', 'other']) {
    expect(mebibytes(organization)).toBeGreaterThan(38)
    expect(mebibytes(organization)).toBeLessThan(43)
  }
})

test('FIL-25 an unused share goes to the other organizations, up to the rate of one', async () => {
  const mebibytes = await grant({ greedy: { bodies: 8 }, rare: { bodies: 1, bytes: MiB / 4 } })
  expect(mebibytes('rare')).toBeGreaterThanOrEqual(4)
  expect(mebibytes('greedy')).toBeGreaterThan(52)
  expect(mebibytes('greedy')).toBeLessThan(62)
})

test('FIL-25 a short file after a rest passes at once, however many bytes another organization sends', async () => {
  const timer = createVirtualTimer()
  const pace = createBytePace({ node: 8 * MiB, organization: 4 * MiB }, () => true, timer)
  const times: number[] = []
  async function* cut(bytes: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes; at += MiB / 4) yield Buffer.alloc(MiB / 4)
  }
  const send = async (organization: string, bytes: number) => {
    for await (const _ of pace({ organization, key: organization }, 'file', cut(bytes)));
  }
  void send('greedy', 100 * MiB)
  const sendRarely = async () => {
    for (let n = 0; n < 3; n++) {
      await timer.sleep(1_000)
      const begin = timer.now()
      await send('rare', MiB)
      times.push(timer.now() - begin)
    }
    const begin = timer.now()
    await send('rare', MiB)
    times.push(timer.now() - begin)
  }
  void sendRarely()
  await timer.runUntil(10_000)
  expect(times.slice(0, 3)).toEqual([0, 0, 0])
  // Without a rest it waits.
  expect(times[3]).toBeGreaterThan(150)
})

test('FIL-25 many short files one after the other are no faster than a long one', async () => {
  const mebibytes = await grant({ short: { bodies: 2, bytes: MiB / 2 }, other: { bodies: 1 } })
  expect(mebibytes('short')).toBeLessThan(43)
  expect(mebibytes('other')).toBeGreaterThan(38)
})
