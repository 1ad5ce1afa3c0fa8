import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { beforeAll, expect, test } from 'vitest'
import { toMain, useSkills } from '../features/writing/skills/use-skills.fixture.ts'
import { addBrain, createBrain, type TestBrain } from '../test/app.ts'
import { useApp } from '../test/harness.ts'
import { connectClient, type Revision } from './mcp-client.fixture.ts'

const app = useApp()
let brain: TestBrain
let skills: ReturnType<typeof useSkills>
const fields = 'license: MIT\nmetadata:\n  author: Ada\n  version: "1.0"\nallowed-tools: Bash\n'
beforeAll(async () => {
  brain = await createBrain(app)
  skills = useSkills(brain)
  await skills.put(
    'pdf-forms',
    { 'templates/a b.md': 'Ä', 'templates/eu/x.json': '{}' },
    {},
    toMain('pdf-forms', { fields }),
  )
  await skills.put('broken')
  await brain.call('POST', '/documents', { id: 'skills/broken/SKILL.md', text: 'No frontmatter' })
})

const main = 'skill://brain/pdf-forms/SKILL.md'
const connect = async (revision: Revision, key = brain.key) => {
  const connected = await connectClient(app, { key, handle: brain.brain.handle, revision })
  return { ...connected, skills: new SkillsClient(connected.client) }
}
const post = async (method: string, params: object, key = brain.key) => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...('uri' in params ? { 'mcp-name': String(params.uri) } : {}),
  }
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }
  const answer = await app.request('POST', `${brain.path}/mcp`, { key, headers, body: message })
  return typeof answer.body === 'string' ? JSON.parse(answer.body.replace(/^data: /m, '')) : answer.body
}

test.each(['newest', '2025'] as const)(
  'SKL-20 the official client lists, gets and verifies the skills of a Brain (%s)',
  async (revision) => {
    const client = await connect(revision)
    expect([client.skills.supported, client.skills.directoryRead]).toEqual([true, true])
    const { skills: entries } = await client.skills.list()
    expect(entries.map(({ uri }) => uri)).toEqual([main])
    const [entry] = entries
    if (!entry) throw new Error('There is no skill.')
    expect(entry.frontmatter).toEqual({
      ...{ name: 'pdf-forms', description: 'How to pdf-forms.', license: 'MIT', 'allowed-tools': 'Bash' },
      metadata: { author: 'Ada', version: '1.0' },
    })
    expect((await client.skills.get(main)).skill).toEqual(entry)
    const read = await client.skills.read(entry)
    expect(read).toMatchObject({ verified: true, mimeType: 'text/markdown', frontmatter: entry.frontmatter })
    expect(await client.skills.read(entry, 'templates/a b.md')).toMatchObject({ verified: true, text: 'Ä' })
    const folder = await client.skills.readDirectory('skill://brain/pdf-forms/templates')
    expect(folder.resources).toMatchObject([
      { uri: 'skill://brain/pdf-forms/templates/a%20b.md', name: 'a b.md', mimeType: 'text/markdown' },
      { uri: 'skill://brain/pdf-forms/templates/eu', name: 'eu', mimeType: 'inode/directory' },
    ])
    expect((await client.client.listResources()).resources).toMatchObject([{ uri: main, name: 'pdf-forms' }])
    await client.close()
  },
)

test('SKL-20 the messages are those of the extension: capability, cache fields and errors', async () => {
  const discovered = await post('server/discover', {})
  expect(discovered.result.capabilities).toMatchObject({
    resources: {},
    extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
  })
  expect((await post('skills/list', {})).result).toMatchObject({
    ...{ resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
    skills: [{ uri: main, resources: [{ uri: main, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }, {}, {}] }],
  })
  for (const [method, uri] of [
    ['skills/get', 'skill://brain/none/SKILL.md'],
    ['skills/get', 'skill://brain/broken/SKILL.md'],
    ['skills/get', 'skill://brain/pdf-forms/templates/a%20b.md'],
    ['skills/get', 'skill://other/pdf-forms/SKILL.md'],
    ['skills/get', 'skill://brain/pdf-forms/%E0%A4%A/SKILL.md'],
    ['resources/read', 'skill://brain/pdf-forms/none.md'],
    ['resources/read', 'skill://brain/pdf-forms/..%2F..%2Fx'],
    ['resources/directory/read', main],
    ['resources/directory/read', 'skill://brain/pdf-forms/none'],
  ] as const)
    expect((await post(method, { uri })).error?.code, `${method} ${uri}`).toBe(-32_602)
})

test('SKL-20 a file that a client reads leaves a receipt, and a key without read sees no skills', async () => {
  const before = (await brain.call('GET', '/receipts?limit=500')).body.data.receipts.length
  const answer = await post('resources/read', { uri: main })
  expect(answer.result.contents).toMatchObject([{ uri: main, mimeType: 'text/markdown' }])
  const { receipts } = (await brain.call('GET', '/receipts?limit=500')).body.data
  expect(receipts.length).toBe(before + 1)
  expect(receipts.at(-1)).toMatchObject({
    operation: 'read',
    served: { documents: [{ id: 'skills/pdf-forms/SKILL.md', version: 1 }] },
  })
  const { body } = await brain.call('POST', '/keys', { name: 'writer', capabilities: ['write'] })
  const discovered = await post('server/discover', {}, body.data.secret)
  expect(discovered.result.capabilities).not.toHaveProperty('extensions')
  expect((await post('skills/list', {}, body.data.secret)).error.code).toBe(-32_601)
})

test('SKL-20 a list of many skills comes in pages, each with whole manifests', async () => {
  const large = await addBrain(app, brain, 'many')
  const operations = Array.from({ length: 45 }, (_, at) => ({
    ...{ op: 'document.put', id: `skills/s-${at}/SKILL.md`, text: toMain(`s-${at}`) },
  }))
  await large.call('POST', '/batch', { operations })
  const { client, close } = await connectClient(app, { key: large.key, handle: 'many' })
  const listed = await new SkillsClient(client).list()
  expect(listed.skills.map(({ frontmatter }) => frontmatter.name).toSorted()).toEqual(
    operations.map((_, at) => `s-${at}`).toSorted(),
  )
  await close()
})
