import type { RunPart } from '@noema/contracts/run-stream.ts'
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { useApp, useMember } from '../../../test/harness.ts'
import { createPartWriter } from '../parts/part-writer.ts'
import { toEndingParts, toOpeningParts } from '../parts/run-parts.ts'
import { StepParts } from '../parts/step-parts.ts'
import { appendParts } from '../parts/stored-parts.ts'
import { openReader } from './reader.fixture.ts'
import { endRunRow, insertRun } from './run.fixture.ts'

// Runs of scripted models whose nodes die at scripted places, read by several readers on two nodes from scripted places on.

const app = useApp()
const member = useMember(app)
let bases: string[] = []
beforeAll(async () => {
  const node = await app.startNode()
  bases = [app.base, node.base]
  return node.close
})

/** Each step is attempts, of which all but the last die; each attempt is what the model says until then. */
type Script = { texts: string[]; reader: number | undefined }[][]
const attempt = fc.record({
  texts: fc.array(fc.string({ unit: 'grapheme', maxLength: 6 }), { maxLength: 4 }),
  reader: fc.option(fc.nat(1), { nil: undefined }),
})
const script: fc.Arbitrary<Script> = fc.array(fc.array(attempt, { minLength: 1, maxLength: 3 }), {
  minLength: 1,
  maxLength: 3,
})

type Run = Awaited<ReturnType<typeof insertRun>>

const readMessage = async (stream: ReadableStream<UIMessageChunk>): Promise<UIMessage | undefined> => {
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream })) last = message
  return last
}

const toTexts = (message: UIMessage | undefined): string[] =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []))

/** Reads to the end by the AI SDK's own transport. */
const readByTransport = async (run: Run, base: string): Promise<string[]> => {
  const headers = { authorization: `Bearer ${member.key}` }
  const transport = new DefaultChatTransport({ api: `${base}/v1/runs`, headers })
  const stream = await transport.reconnectToStream({ chatId: run.id })
  if (!stream) throw new Error('nothing to read')
  return toTexts(await readMessage(stream))
}

/** Reads by numbers, and goes on elsewhere after every few parts, as after a broken connection. */
const readBroken = async (run: Run, first: number): Promise<string[]> => {
  const chunks: RunPart[] = []
  let place = 0
  for (let turn = first; ; turn++) {
    const reader = await openReader(bases[turn % 2] ?? '', run.id, { key: member.key, lastEventId: String(place) })
    const taken = await reader.take(3)
    reader.stop()
    for (const { id, part } of taken) {
      if (part === '[DONE]') return toTexts(await readMessage(ReadableStream.from(chunks)))
      chunks.push(part)
      place = id ?? place
    }
    // A withdrawal belongs to the part after it: a reader who has only the first asks for both again.
    if (chunks.at(-1)?.type === 'reset-step') chunks.pop()
  }
}

const setLease = async (run: Run, lease: string) => {
  await app.database.pool.query('update runs set lease = $2 where id = $1', [run.id, lease])
  return { ...run, lease }
}

const append = (run: Run, parts: readonly RunPart[]) =>
  appendParts(
    app.app.db,
    run,
    parts.map((part) => ({ part })),
  )

/** Plays a script, and answers what the run's messages would say. */
const play = async (run: Run, steps: Script, open: (reader: number) => void): Promise<string[]> => {
  const said: string[] = []
  let held = run
  for (const [index, attempts] of steps.entries()) {
    const operation = `opr_${index}`
    await append(held, toOpeningParts(run.id, index + 1))
    for (const [number, { texts, reader }] of attempts.entries()) {
      held = await setLease(run, `${index} ${number}`)
      const writer = createPartWriter(app.app.deps, held)
      if (number > 0) await writer.withdraw(operation)
      if (reader !== undefined) open(reader)
      const step = new StepParts(operation)
      for (const delta of texts) {
        await writer.write(operation, step.read({ type: 'text-delta', id: '0', delta }))
        await appendParts(app.app.db, held, await writer.take())
      }
      if (number < attempts.length - 1) continue
      await append(held, step.close())
      said.push(...step.toContent().flatMap((one) => (one.type === 'text' ? [one.text] : [])))
    }
  }
  await append(held, toEndingParts({ state: 'completed' }, true))
  await endRunRow(app, run)
  return said
}

test('D-73 whenever nodes die, and wherever readers come and go, all read at the end what the messages say', async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const run = await insertRun(app, member.organizationId)
      const reading: Promise<string[]>[] = [readByTransport(run, bases[1] ?? ''), readBroken(run, 0)]
      const said = await play(run, steps, (reader) => {
        reading.push(readByTransport(run, bases[reader] ?? ''), readBroken(run, reader))
      })
      expect(await readByTransport(run, bases[0] ?? '')).toEqual(said)
      for (const read of await Promise.all(reading)) expect(read).toEqual(said)
    }),
    // The end of a line in JavaScript's regular expressions, and not in a stream.
    { numRuns: 8, examples: [[[[{ texts: ['\u2028'], reader: undefined }]]]] },
  )
})
