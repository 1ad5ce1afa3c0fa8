import type { RunPart } from '@noema/contracts/run-stream.ts'
import { expect, test } from 'vitest'
import { useApp, useMember } from '../../../test/harness.ts'
import { startPolling } from '../../../test/polls.ts'
import { toEndingParts } from '../parts/run-parts.ts'
import { appendParts } from '../parts/stored-parts.ts'
import { endRunRow, insertRun } from './run.fixture.ts'
import { openRunFeeds, type RunFeeds, type RunNews } from './run-feeds.ts'

const app = useApp()
const member = useMember(app)

/** Readers as a node opens them, whose statements are counted. */
const openCounted = () => {
  let statements = 0
  const { deps } = app.app
  const feeds = openRunFeeds({
    ...deps,
    prepared: (statement) => {
      statements++
      return deps.prepared(statement)
    },
  })
  return { feeds, statements: () => statements }
}

type Run = Awaited<ReturnType<typeof insertRun>>

const addRun = () => insertRun(app, member.organizationId)
const follow = (feeds: RunFeeds, run: Run, after = 0) =>
  feeds.follow(run, { after, signal: new AbortController().signal, isStillAllowed: async () => true })
const piece = (text: string): RunPart => ({ type: 'text-delta', id: '1', delta: text })
const append = async (run: Run, parts: readonly RunPart[]) => {
  await appendParts(
    app.app.db,
    run,
    parts.map((part) => ({ part })),
  )
  app.app.deps.topics.publish(`run:${run.id}`)
}
const finish = async (run: Run) => {
  await append(run, toEndingParts({ state: 'completed' }, true))
  await endRunRow(app, run)
  app.app.deps.topics.publish(`run:${run.id}`)
}

type Reader = AsyncGenerator<RunNews>
const read = async (reader: Reader): Promise<RunNews> => (await reader.next()).value ?? 'ended'

test('D-73 1,000 readers of a run read each part once on a node, and are handed the same list', async () => {
  const run = await addRun()
  const { feeds, statements } = openCounted()
  const { countPolls } = startPolling()
  const readers = await Promise.all(Array.from({ length: 1_000 }, () => follow(feeds, run)))
  await append(run, [piece('first')])
  const lists = await Promise.all(readers.map(read))
  expect(new Set(lists).size).toBe(1)
  // One for each to find its run, one for the part, and a look a second.
  expect(statements() - 1_000).toBeLessThanOrEqual(1 + countPolls())
  for (let n = 0; n < 10; n++) {
    const [before, since] = [statements(), startPolling()]
    const next = readers.map(read)
    await append(run, [piece(`part ${n}`)])
    const news = await Promise.all(next)
    expect(new Set(news).size).toBe(1)
    expect(news[0]).toMatchObject([{ part: JSON.stringify(piece(`part ${n}`)) }])
    expect(statements() - before).toBeLessThanOrEqual(1 + since.countPolls())
  }
  feeds.close()
})

test('D-73 a reader that takes nothing for a while finds all that it missed, and nothing is kept for it meanwhile', async () => {
  const run = await addRun()
  const { feeds } = openCounted()
  const [slow, quick] = [await follow(feeds, run), await follow(feeds, run)]
  const parts = Array.from({ length: 1_200 }, (_, n) => piece(`${n} `))
  await append(run, parts.slice(0, 1))
  await read(slow)
  await append(run, parts.slice(1))
  const taken: string[] = []
  while (taken.length < parts.length) {
    const news = await read(quick)
    if (news !== 'ended') taken.push(...news.map(({ part }) => part))
  }
  // After two answers without news, the feed has dropped the parts that the quick reader took.
  while ((await read(quick)).length > 0);
  await finish(run)
  const missed: string[] = []
  for await (const news of slow) if (news !== 'ended') missed.push(...news.map(({ part }) => part))
  expect(missed.slice(0, parts.length - 1)).toEqual(taken.slice(1))
  feeds.close()
})
