import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBrain, createMember, startTestApp, type TestApp } from '../../../test/app.ts'
import { type ObjectServer, startObjectServer } from '../../../test/object-server.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from '../../../test/streaming-replica.ts'

// Files of a service that reads from a real standby. The standby has stopped to replay, so it knows of none of them.

let servers: ReplicatedPostgres
let store: ObjectServer
let app: TestApp
let withStore: Awaited<ReturnType<TestApp['startNode']>>

beforeAll(async () => {
  ;[servers, store] = await Promise.all([startReplicatedPostgres(), startObjectServer()])
  const settings = { NOEMA_DATABASE_URL: servers.url, NOEMA_DATABASE_REPLICA_URLS: servers.replicaUrl }
  app = await startTestApp(settings, { reach: () => servers.url })
  withStore = await app.startNode(store.settings)
})
afterAll(async () => {
  await withStore.close()
  await app.close()
  await Promise.all([servers.close(), store.close()])
})

const text = 'Sails of the old harbor. '.repeat(1_000)

test.each([
  { place: 'PostgreSQL', findNode: () => app },
  { place: 'a store', findNode: () => withStore },
])(
  'FIL-31 in $place, a file is listed, read, searched and gone at once, however far behind a replica is',
  async ({ place, findNode }) => {
    const { base, request } = findNode()
    const member = await createMember(app)
    const brain = await addBrain(app, member, `sails-in-${place.replace(' ', '-').toLowerCase()}`)
    await servers.catchUp()
    await servers.pause()
    const headers = { authorization: `Bearer ${member.key}` }
    const call = (method: string, path: string, body?: object) =>
      request(method, path, { key: member.key, ...(body && { body }) })
    const sent = await fetch(`${base}/v1/artifacts?path=sails.txt`, {
      ...{ method: 'POST', body: text, headers: { ...headers, 'content-type': 'text/plain' } },
    })
    expect(sent.status).toBe(201)
    const [artifact] = (await call('GET', '/v1/artifacts')).body.data.artifacts
    expect(artifact).toMatchObject({ path: 'sails.txt', version: 1, bytes: text.length })
    const path = `/v1/artifacts/${artifact.id}`
    const content = await fetch(`${base}${path}/content`, { headers })
    const bytes = Buffer.from(await content.arrayBuffer())
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(artifact.sha256)
    expect((await call('GET', `${path}/text?size=1000`)).body.data.text).toContain('Sails of the old harbor.')
    expect((await call('POST', `${brain.path}/documents`, { id: 'sails', artifact: artifact.id })).status).toBe(201)
    const { results } = (await call('GET', `${brain.path}/search?q=sails`)).body.data
    expect(results[0]).toMatchObject({ id: 'sails' })
    expect((await call('DELETE', path)).status).toBe(200)
    expect((await fetch(`${base}${path}/content`, { headers })).status).toBe(404)
    expect((await call('GET', '/v1/artifacts')).body.data.artifacts).toEqual([])
    await servers.resume()
  },
)
