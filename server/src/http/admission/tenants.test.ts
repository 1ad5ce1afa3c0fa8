import { endpoints } from '@noema/contracts/api.ts'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, createMember, type TestBrain } from '../../test/app.ts'
import { useOwnApp } from '../../test/harness.ts'
import { fillPath, readState, sampleCall, sampleCredential } from '../../test/sample-calls.ts'

const app = useOwnApp()
let mine: TestBrain
let stranger: Awaited<ReturnType<typeof createMember>>
beforeAll(async () => {
  mine = await createBrain(app, 'mine')
  stranger = await createMember(app)
})

const onBrains = endpoints.filter(({ name, endpoint }) => endpoint.path.includes('{handle}') && name !== 'brains.put')

test.each(onBrains)(
  "SUR-11 $name on another organization's Brain is 404 in the very words of a Brain that does not exist",
  async ({ name, endpoint }) => {
    const { method, path, body, headers = {} } = await sampleCall(app, mine, { name, endpoint })
    const sent = {
      headers: { ...sampleCredential(endpoint, stranger), ...headers },
      ...(body === undefined ? {} : { body }),
    }
    const send = (to: string) => app.request(method, to, sent)
    const before = await readState(app, mine)
    const foreign = await send(path)
    expect(await readState(app, mine)).toEqual(before)
    const [, , , handle = ''] = path.split('/')
    const missing = await send(path.replace(`/${handle}`, '/absent'))
    expect([foreign.status, missing.status]).toEqual([404, 404])
    expect(JSON.stringify(foreign.body).replaceAll(handle, 'absent')).toBe(JSON.stringify(missing.body))
  },
)

const addressed = onBrains.filter(
  ({ name, endpoint }) => /\{(id|keyId)\}/.test(endpoint.path) && name !== 'brain.records.put',
)

test.each(addressed)(
  'SUR-11 $name by an id of another Brain is 404 in the very words of an id that does not exist',
  async ({ name, endpoint }) => {
    const other = await addBrain(app, stranger, 'theirs')
    const { method, path, body } = await sampleCall(app, mine, { name, endpoint })
    const id = decodeURIComponent(path.split('/')[5] ?? '')
    const send = (given: string) => {
      const to = fillPath(endpoint.path, { handle: 'theirs', id: given, keyId: given })
      return app.request(method, to, { key: other.key, ...(body === undefined ? {} : { body }) })
    }
    const [foreign, missing] = [await send(id), await send('absent')]
    expect([foreign.status, missing.status]).toEqual([404, 404])
    expect(JSON.stringify(foreign.body).replaceAll(id, 'absent')).toBe(JSON.stringify(missing.body))
  },
)

/** Endpoints of an organization that take an id: of runs, evals, goals, files and the rest. */
const ofOrganizations = endpoints.filter(
  ({ endpoint: { path, access } }) =>
    !path.includes('{handle}') && path.includes('{id}') && (access === 'management' || access === 'session'),
)

test.each(ofOrganizations)(
  'SUR-11 $name by an id of another organization is 404 in the very words of an id that does not exist',
  async ({ name, endpoint }) => {
    const { method, path, body, headers = {} } = await sampleCall(app, mine, { name, endpoint })
    const sent = {
      headers: { ...sampleCredential(endpoint, stranger), ...headers },
      ...(body === undefined ? {} : { body }),
    }
    const at = endpoint.path.split('/').indexOf('{id}')
    const id = decodeURIComponent(path.split(/[/?]/)[at] ?? '')
    const foreign = await app.request(method, path, sent)
    // As long as an id of its kind, so that only who has it differs.
    const absent = id.replace(/.{6}$/, '000000')
    const missing = await app.request(method, path.replace(encodeURIComponent(id), encodeURIComponent(absent)), sent)
    expect([foreign.status, missing.status], id).toEqual([404, 404])
    expect(JSON.stringify(foreign.body).replaceAll(id, absent)).toBe(JSON.stringify(missing.body))
  },
)

test('SUR-11 a Brain key meets the 404 of a missing Brain on every other Brain of its own organization', async () => {
  await addBrain(app, mine, 'sibling')
  const key = await mine.mintKey(['read', 'write', 'review', 'admin'])
  const [sibling, missing] = [
    await app.request('GET', '/v1/brains/sibling', { key }),
    await app.request('GET', '/v1/brains/absent', { key }),
  ]
  expect(sibling.status).toBe(404)
  expect(JSON.stringify(sibling.body).replace('sibling', 'absent')).toBe(JSON.stringify(missing.body))
})

test('SUR-11 a list shows nothing of another organization', async () => {
  const { body } = await app.request('GET', '/v1/brains?limit=500', { key: stranger.key })
  expect(JSON.stringify(body)).not.toContain(mine.brain.id)
  const keys = await app.request('GET', '/v1/keys?limit=500', { headers: stranger.session })
  expect(JSON.stringify(keys.body)).not.toContain(mine.keyId)
})

test("SUR-11 D-54b another Brain's cursor opens nothing: 400, as a forged one", async () => {
  await mine.call('POST', '/records', { kind: 'secret' })
  const theirs = await addBrain(app, stranger, 'theirs')
  for (const list of ['events', 'records', 'documents', 'statements', 'keys']) {
    const { cursor } = (await mine.call('GET', `/${list}?limit=1`)).body.data
    const [foreign, forged] = [
      await theirs.call('GET', `/${list}?after=${cursor}`),
      await theirs.call('GET', `/${list}?after=Zm9yZ2Vk`),
    ]
    expect(foreign.status).toBe(400)
    expect(foreign.body).toEqual(forged.body)
  }
})
