import { expect, test } from 'vitest'
import { notFound } from '../errors.ts'
import {
  addSpanSince,
  beginPart,
  currentSpan,
  currentWaiter,
  inSharedSpan,
  inSpan,
  outsideSpans,
  type SpanRecord,
} from './spans.ts'
import { newTraceId } from './trace-context.ts'

const open = () => {
  const spans: SpanRecord[] = []
  const root = beginPart((span) => void spans.push(span), { name: 'root' }, { traceId: newTraceId() })
  return { spans, root, names: () => spans.map(({ name }) => name) }
}

test('without tracing, a task runs unchanged', async () => {
  expect(currentSpan()).toBeUndefined()
  expect(
    await inSpan(
      () => expect.unreachable(),
      async (span) => span,
    ),
  ).toBeUndefined()
})

test('a span is below the one around it, across awaits', async () => {
  const { spans, root, names } = open()
  await root.run(() =>
    inSpan(
      () => ({ name: 'outer' }),
      () =>
        inSpan(
          () => ({ name: 'inner' }),
          async () => undefined,
        ),
    ),
  )
  root.end()
  expect(names()).toEqual(['inner', 'outer', 'root'])
  const [inner, outer] = spans
  expect(inner?.parentSpanId).toBe(outer?.spanId)
  expect(outer?.parentSpanId).toBe(root.context.spanId)
})

test('a span has the kind of an error, never its text', async () => {
  const { spans, root } = open()
  const errors = [
    notFound('The record secret is gone.'),
    Object.assign(new Error('secret'), { code: '40001' }),
    new Error('secret'),
  ]
  for (const error of errors)
    await root
      .run(() =>
        inSpan(
          () => ({ name: 'fails' }),
          () => Promise.reject(error),
        ),
      )
      .catch(() => undefined)
  expect(spans.map(({ error }) => error)).toEqual(['not_found', '40001', '_OTHER'])
  expect(JSON.stringify(spans)).not.toContain('secret')
})

test('work after the end of a request is not part of it', async () => {
  const { root, names } = open()
  await root.run(async () => {
    root.end()
    await inSpan(
      () => ({ name: 'late' }),
      async () => undefined,
    )
  })
  expect(names()).toEqual(['root'])
})

test('a request has so many spans at most', async () => {
  const { spans, root } = open()
  for (let index = 0; index < 600; index++)
    await root.run(() =>
      inSpan(
        () => ({ name: 'one' }),
        async () => undefined,
      ),
    )
  expect(spans).toHaveLength(500)
})

test('shared work is below the first caller, and all are linked', async () => {
  const [one, other] = [open(), open()]
  const waiters = [one, other].map(({ root }) => root.run(currentWaiter))
  await inSharedSpan(
    [undefined, ...waiters],
    () => ({ name: 'shared' }),
    () =>
      inSpan(
        () => ({ name: 'below' }),
        async () => undefined,
      ),
  )
  expect(one.names()).toEqual(['below', 'shared'])
  expect(other.names()).toEqual(['shared'])
  expect(one.spans[1]?.links).toEqual([other.root.context])
  expect(other.spans[0]?.links?.[0]).toMatchObject({ spanId: one.spans[1]?.spanId })
})

test('work that others share is no part of the request that happens to begin it', () => {
  const { root } = open()
  expect(root.run(() => outsideSpans(currentSpan))).toBeUndefined()
})

test('a wait is reported once it is over', () => {
  const { spans, root } = open()
  addSpanSince(root.run(currentWaiter), () => ({ name: 'wait' }), performance.now() - 50)
  expect((spans[0]?.endedAt ?? 0) - (spans[0]?.startedAt ?? 0)).toBeGreaterThanOrEqual(50)
})
