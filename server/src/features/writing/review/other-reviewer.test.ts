import { beforeAll, expect, test } from 'vitest'
import type { signUp } from '../../../test/app.ts'
import { useBrain, useOwnApp } from '../../../test/harness.ts'
import { joinOrganization } from '../../../test/organizations.ts'

// If a Brain requires another reviewer, it compares persons, whatever they act by: a session, their management keys, and the
// Brain keys that they minted or rotated.

type Headers = Record<string, string>
type Member = Awaited<ReturnType<typeof signUp>>

const app = useOwnApp()
const anna = useBrain(app)
const actors: Record<string, { headers: Headers; people: string }> = {}

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })

const managementKey = async ({ session }: Member): Promise<string> =>
  (await app.request('POST', '/v1/keys', { headers: session, body: { name: 'test' } })).body.data.secret

const mint = async (headers: Headers): Promise<{ id: string; secret: string }> => {
  const body = { name: 'test', capabilities: ['read', 'write', 'review'] }
  const { key, secret } = (await app.request('POST', `${anna.path}/keys`, { headers, body })).body.data
  return { id: key.id, secret }
}

const rotate = async (headers: Headers, { id }: { id: string }): Promise<{ id: string; secret: string }> => {
  const { key, secret } = (await app.request('POST', `${anna.path}/keys/${id}/rotate`, { headers })).body.data
  return { id: key.id, secret }
}

const stage = async (headers: Headers): Promise<string> =>
  (await app.request('POST', `${anna.path}/records`, { headers, body: { kind: 'note' } })).body.data.change.id

const decide = (id: string, headers: Headers) =>
  app.request('POST', `${anna.path}/changes/${id}/decide`, { headers, body: { decision: 'approved' } })

/** Why a decision was refused; undefined where it was not. */
const refusal = async (id: string, headers: Headers): Promise<string | undefined> => {
  const { status, body } = await decide(id, headers)
  return status === 200 ? undefined : (body.error.code ?? `${status}`)
}

beforeAll(async () => {
  const ben = await joinOrganization(app, anna)
  await anna.call('PATCH', '', { mode: 'review', reviewRules: { requireOtherReviewer: true } })
  const bens = bearer(await managementKey(ben))
  const twice = await rotate(bens, await rotate(bearer(anna.key), await mint(bearer(anna.key))))
  Object.assign(actors, {
    "Anna's session": { headers: anna.session, people: 'Anna' },
    "Anna's management key": { headers: bearer(anna.key), people: 'Anna' },
    "Anna's other management key": { headers: bearer(await managementKey(anna)), people: 'Anna' },
    'a Brain key of Anna, minted by her key': {
      headers: bearer((await mint(bearer(anna.key))).secret),
      people: 'Anna',
    },
    'a Brain key of Anna, minted by her session': {
      headers: bearer((await mint(anna.session)).secret),
      people: 'Anna',
    },
    "Ben's session": { headers: ben.session, people: 'Ben' },
    "Ben's management key": { headers: bens, people: 'Ben' },
    'a Brain key of Ben': { headers: bearer((await mint(bens)).secret), people: 'Ben' },
    'a Brain key of Anna that Ben rotated': { headers: bearer(twice.secret), people: 'Anna Ben' },
  })
})

test('D-42 no one decides their own change, whichever session or key they stage and review by, and others may', async () => {
  const names = Object.entries(actors)
  const pairs = names.flatMap(([stager, by]) => names.map(([reviewer, other]) => ({ stager, by, reviewer, other })))
  const answers = pairs.map(async ({ stager, by, reviewer, other }) => {
    const isShared = by.people.split(' ').some((person) => other.people.includes(person))
    const code = await refusal(await stage(by.headers), other.headers)
    return { pair: `${stager} / ${reviewer}`, expected: isShared ? 'self_review' : undefined, code }
  })
  const wrong = (await Promise.all(answers)).filter(({ expected, code }) => expected !== code)
  expect(wrong).toEqual([])
})

test('D-42 a rotated key and its replacement are one reviewer, even if their minter is unknown', async () => {
  const first = await mint(bearer(anna.key))
  const second = await rotate(bearer(anna.key), first)
  const third = await rotate(bearer(anna.key), second)
  const other = await mint(bearer(anna.key))
  const all = [first, second, third, other]
  await app.database.pool.query(`update brain_keys set people = '{}', created_by = 'key_gone' where id = any($1)`, [
    all.map(({ id }) => id),
  ])
  for (const [stager, reviewer] of [
    [first, second],
    [second, first],
    [second, third],
    [third, first],
  ] as const)
    expect(await refusal(await stage(bearer(stager.secret)), bearer(reviewer.secret))).toBe('self_review')
  expect(await refusal(await stage(bearer(first.secret)), bearer(other.secret))).toBeUndefined()
})

test('D-42 a change that an older version staged is kept from who staged it', async () => {
  const key = await mint(bearer(anna.key))
  const byKey = await stage(bearer(key.secret))
  const byPerson = await stage(bearer(anna.key))
  await app.database.pool.query(
    'update changes set submitted_by_actor = null, submitted_by_user = null where id = $1',
    [byKey],
  )
  const change = (await anna.call('GET', `/changes/${byPerson}`)).body.data.change
  expect(change).toMatchObject({ stagedBy: anna.keyId, stagedByActor: { type: 'key', id: anna.keyId } })
  expect(await refusal(byKey, bearer(key.secret))).toBe('self_review')
  expect(await refusal(byPerson, anna.session)).toBe('self_review')
})

test('D-42 a key that a node of an older version minted stands for its minter soon after its first use', async () => {
  const key = await mint(bearer(anna.key))
  await app.database.pool.query('update brain_keys set people = null where id = $1', [key.id])
  await stage(bearer(key.secret))
  await app.app.workers.find(({ name }) => name === 'note the use of keys')?.run()
  expect(await refusal(await stage(bearer(key.secret)), anna.session)).toBe('self_review')
})

test('D-42 a change tells the person behind the key or the session that staged and decided it', async () => {
  const person = async (headers: Headers) => (await app.request('GET', '/v1/whoami', { headers })).body.data.user.id
  const [annaId, benId] = [await person(anna.session), await person(actors["Ben's session"]?.headers ?? {})]
  const id = await stage(actors['a Brain key of Anna, minted by her session']?.headers ?? {})
  const { body } = await decide(id, actors["Ben's session"]?.headers ?? {})
  expect(body.data.change).toMatchObject({
    stagedByActor: { type: 'key', userId: annaId },
    decidedBy: benId,
    decidedByActor: { type: 'session', id: benId, userId: benId },
  })
})
