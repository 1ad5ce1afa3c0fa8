import { type Operation, operationStatuses, operationTypes } from '@noema/contracts/activity.ts'
import { isObject } from '@noema/contracts/json.ts'
import { beforeAll, expect, test } from 'vitest'
import { createMember } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { insertOperation, insertRun } from '../run-feeds/run.fixture.ts'

// The properties of an operation, written down once more by hand: the contract, the document and the answers are held
// against them.

const common = {
  required: [
    'id',
    'runId',
    'tenantId',
    'status',
    'name',
    'sequence',
    'producedMessageIds',
    'consumedMessageIds',
    'createdAt',
    'type',
  ],
  optional: [
    ...['runTurnId', 'taskId', 'projectId', 'skillVersionId', 'knowledgeReadSubject', 'input', 'output', 'error'],
    ...['attemptNumber', 'idempotencyKey', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'],
    ...['reasoningTokens', 'costCents', 'latencyMs', 'sequenceNumber', 'completedAt'],
  ],
}
const tool = {
  required: ['toolSourceKind', 'toolSourceId', 'toolName'],
  optional: ['toolSourceVersionId', 'toolSchemaHash', 'toolInputSchemaSnapshot', 'toolOutputSchemaSnapshot'],
}
const none = { required: [], optional: [] }
const variants = { tool_call: tool, llm_call: { required: [], optional: ['model'] }, system_action: none }

const app = useApp()
const member = useMember(app)
let run: Awaited<ReturnType<typeof insertRun>>

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
const list = async (query = ''): Promise<Operation[]> => {
  const { status, body } = await app.request('GET', `/v1/activity${query}`, { key: member.key })
  expect(status).toBe(200)
  expect(Object.keys(body.data)).toEqual(['operations'])
  return body.data.operations
}

beforeAll(async () => {
  run = await insertRun(app, member.organizationId)
  let sequence = 0
  for (const type of operationTypes)
    for (const status of operationStatuses)
      await insertOperation(app, run, {
        type,
        status,
        sequence: ++sequence,
        name: `${type} ${status}`,
        created_at: at(sequence),
      })
})

test('RUN-05 the contract and the document list the specified properties of each variant, and no others', async () => {
  const { body } = await app.request('GET', '/v1/openapi.json')
  const { schema } = body.paths['/v1/activity'].get.responses['200'].content['application/json']
  const find = ({ $ref }: { $ref: string }) => body.components.schemas[$ref.replace('#/components/schemas/', '')]
  const items = find(schema.properties.data.properties.operations.items)
  expect(items.discriminator.propertyName).toBe('type')
  const described: unknown[] = items.oneOf.map(find)
  expect(described).toHaveLength(3)
  for (const variant of described) {
    if (!isObject(variant) || !isObject(variant.properties) || !isObject(variant.properties.type))
      throw new Error('no object')
    const own = variants[variant.properties.type.const as keyof typeof variants]
    expect(variant.additionalProperties).toBe(false)
    expect((variant.required as string[]).toSorted()).toEqual([...common.required, ...own.required].sort())
    expect(Object.keys(variant.properties).sort()).toEqual(
      [...common.required, ...common.optional, ...own.required, ...own.optional].sort(),
    )
  }
})

test('RUN-05 D-76 an operation shows all that is known of it: objects as they are, other values as { value }, costs in cents', async () => {
  const known = {
    ...{ task_id: 'tsk_1', knowledge_read_subject: 'chunk', error: 'broken', attempt: 2, step: 3, sequence: 70 },
    ...{ input: '["a"]', output: '{"b":1}', input_tokens: 10, output_tokens: 20, cache_read_tokens: 1 },
    ...{ cache_write_tokens: 2, reasoning_tokens: 3, cost_nanodollars: 14_999_999, latency_milliseconds: 12 },
    ...{ produced_message_ids: ['msg_1'], consumed_message_ids: ['msg_0'], completed_at: at(101) },
  }
  const source = { tool_source_kind: 'connector', tool_source_id: 'con_1', tool_name: 'find' }
  const id = await insertOperation(app, run, { ...known, ...source, name: 'search', created_at: at(100) })
  const [shown] = await list('?limit=1')
  expect(shown).toEqual({
    ...{ id, runId: run.id, runTurnId: `${run.id}:3`, taskId: 'tsk_1', tenantId: member.organizationId },
    ...{ projectId: 'prj_sample', status: 'succeeded', name: 'search', knowledgeReadSubject: 'chunk' },
    ...{ input: { value: ['a'] }, output: { b: 1 }, error: 'broken', attemptNumber: 2, idempotencyKey: id },
    ...{ inputTokens: 10, outputTokens: 20, cacheReadTokens: 1, cacheWriteTokens: 2, reasoningTokens: 3 },
    ...{
      costCents: 1,
      latencyMs: 12,
      sequence: 70,
      sequenceNumber: 70,
      producedMessageIds: ['msg_1'],
      consumedMessageIds: ['msg_0'],
    },
    ...{ createdAt: at(100).toISOString(), completedAt: at(101).toISOString(), type: 'tool_call' },
    ...{ toolSourceKind: 'connector', toolSourceId: 'con_1', toolName: 'find' },
  })
  await app.database.pool.query('delete from run_operations where id = $1', [id])
})

test('RUN-05 every filter, alone and together, leaves what it names, newest first', async () => {
  const all = await list('?limit=500')
  expect(all.map(({ createdAt }) => createdAt)).toEqual(
    all
      .map(({ createdAt }) => createdAt)
      .toSorted()
      .reverse(),
  )
  expect(all).toHaveLength(12)
  for (const type of [undefined, ...operationTypes])
    for (const status of [undefined, ...operationStatuses])
      for (const since of [undefined, at(5).toISOString()])
        for (const limit of [2, 500]) {
          const given = Object.entries({ type, status, since, limit: String(limit) }).filter(
            ([, value]) => value !== undefined,
          )
          const expected = all.filter(
            (one) =>
              (type === undefined || one.type === type) &&
              (status === undefined || one.status === status) &&
              (since === undefined || one.createdAt >= since),
          )
          expect(await list(`?${new URLSearchParams(given as [string, string][])}`)).toEqual(expected.slice(0, limit))
        }
})

test('RUN-05 since is UTC ending in Z, limit 1 to 500, type and status as listed; anything else is 400', async () => {
  const wrong = [
    ...[
      'since=2026-01-01T00:00:00%2B00:00',
      'since=2026-01-01',
      'since=2026-01-01T00:00:00',
      'since=0000-01-01T00:00:00Z',
    ],
    ...['since=2026-01-01T00:00:00z', 'limit=0', 'limit=501', 'limit=x', 'type=call', 'status=pending', 'after=x'],
  ]
  for (const query of wrong)
    expect([query, (await app.request('GET', `/v1/activity?${query}`, { key: member.key })).status]).toEqual([
      query,
      400,
    ])
  for (const query of ['since=2026-01-01T00:00:00Z', 'since=2026-01-01T00:00:00.123456Z', 'limit=1', 'limit=500'])
    await list(`?${query}`)
})

test('RUN-05 activity is of the caller’s organization alone', async () => {
  const stranger = await createMember(app)
  const { body } = await app.request('GET', '/v1/activity', { key: stranger.key })
  expect(body.data.operations).toEqual([])
  expect((await app.request('GET', `/v1/runs/${run.id}/operations`, { key: stranger.key })).status).toBe(404)
})

test('RUN-05 contents that do not fit into one answer are left out, those of the newest are given', async () => {
  const large = await insertRun(app, member.organizationId)
  const content = JSON.stringify({ text: 'x'.repeat(250_000) })
  const count = 80
  for (let n = 0; n < count; n++)
    await insertOperation(app, large, { sequence: n + 1, input: content, output: content, created_at: at(200 + n) })
  const shown = await list(`?limit=${count}`)
  const given = shown.filter(({ input }) => input !== undefined)
  expect(given.length).toBeGreaterThan(10)
  expect(given.length).toBeLessThan(count)
  expect(shown.slice(0, given.length)).toEqual(given)
  // Read page by page, all of them have theirs.
  const path = `/v1/runs/${large.id}/operations`
  const read: Operation[] = []
  for (let after = '', hasMore = true; hasMore; ) {
    const { body } = await app.request('GET', `${path}?limit=500${after}`, { key: member.key })
    read.push(...body.data.operations)
    after = `&after=${body.data.cursor}`
    hasMore = body.data.hasMore
  }
  expect(read.map(({ sequence, input }) => [sequence, input !== undefined])).toEqual(
    Array.from({ length: count }, (_, n) => [n + 1, true]),
  )
})

test('RUN-03 the messages of a run are listed in their order', async () => {
  const said = await insertRun(app, member.organizationId)
  const roles = ['user', 'assistant', 'tool', 'assistant']
  for (const [index, role] of roles.entries())
    await app.database.pool.query(
      `insert into run_messages (organization_id, run_id, id, position, role, parts, text, created_at)
       values ($1, $2, $3, $4, $5, $6, $7, now())`,
      [
        member.organizationId,
        said.id,
        `msg_${index}`,
        index + 1,
        role,
        JSON.stringify([{ type: 'text', text: role }]),
        role,
      ],
    )
  const first = await app.request('GET', `/v1/runs/${said.id}/messages?limit=3`, { key: member.key })
  const rest = await app.request('GET', `/v1/runs/${said.id}/messages?after=${first.body.data.cursor}`, {
    key: member.key,
  })
  const messages = [...first.body.data.messages, ...rest.body.data.messages]
  expect(messages).toEqual(
    roles.map((role, index) => ({
      ...{ id: `msg_${index}`, role, parts: [{ type: 'text', text: role }], text: role, runId: said.id },
      createdAt: expect.any(String),
    })),
  )
  expect(rest.body.data.hasMore).toBe(false)
})
