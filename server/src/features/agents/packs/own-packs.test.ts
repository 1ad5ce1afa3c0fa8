import { packFile } from '@noema/contracts/pack-files.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect, test } from 'vitest'
import { useApp, useMember } from '../../../test/harness.ts'

const app = useApp()
const member = useMember(app)
const other = useMember(app)

const call = (method: string, path: string, body?: unknown, key = member.key) =>
  app.request(method, path, { key, ...(body === undefined ? {} : { body }) })

const skillText = '---\nname: tone\ndescription: How {{team}} writes.\n---\n\nWrite as {{team}} does.\n'

const desk = {
  title: 'Desk of {{team}}',
  description: 'Questions that {{team}} answers.',
  purpose: 'What {{team}} knows.',
  parameters: [
    { name: 'team', type: 'text', title: 'Team' },
    { name: 'days', type: 'number', default: 30 },
    { name: 'tone', type: 'choice', values: ['formal', 'plain'], default: 'plain' },
  ],
  kinds: [{ kind: 'question', description: 'A question', fields: [{ name: 'text', type: 'text' }] }],
  agents: [
    {
      ...{ name: 'Desk: {{team}}', description: 'Answers.', access: 'read_only' },
      instructions: 'You answer for {{team}} in a {{tone}} tone. Leave {{unknown}} as it is.',
    },
  ],
  triggers: [
    {
      ...{ name: 'Answer for {{team}}', agent: 'Desk: {{team}}', expectedOutcome: 'An answer' },
      ...{ requiredAccess: 'read_only', entityKinds: ['question'] },
    },
  ],
  skills: [{ name: 'tone', files: [{ path: 'SKILL.md', text: skillText }] }],
  sample: [{ op: 'record.put', id: 'first', kind: 'question', fields: { text: 'Who is {{team}}?', days: '{{days}}' } }],
}

type Item = { type: string; outcome: string; id?: string; change?: string }

const install = async (name: string, body: object) => {
  const answer = await call('POST', `/v1/packs/${name}/install`, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  const { installed } = answer.body.data
  return { ...installed, find: (type: string): Item => installed.items.find((item: Item) => item.type === type) }
}

test('PCK-01 a pack of an organization is stored in versions, listed next to those of the service, and is its alone', async () => {
  const made = await call('PUT', '/v1/packs/desk', desk)
  expect(made).toMatchObject({ status: 201, body: { data: { pack: { name: 'desk', version: 1, isOwn: true } } } })
  expect(await call('PUT', '/v1/packs/desk', desk)).toMatchObject({
    status: 200,
    body: { data: { pack: { version: 1 } } },
  })
  const next = { ...desk, description: 'Other' }
  expect((await call('PUT', '/v1/packs/desk', next)).body.data.pack.version).toBe(2)
  const { packs } = (await call('GET', '/v1/packs')).body.data
  expect(packs.at(-1)).toMatchObject({
    name: 'desk',
    version: 2,
    skills: ['tone'],
    parameters: [{ name: 'team' }, {}, {}],
  })
  expect((await call('GET', '/v1/packs/desk')).body.data.file).toEqual(packFile.parse(next))
  expect((await call('GET', '/v1/packs/desk?version=1')).body.data.file.description).toBe(desk.description)
  expect((await call('GET', '/v1/packs/research-notes')).body.data.pack).toMatchObject({ version: 1, isOwn: false })
  for (const [method, path] of [
    ['GET', '/v1/packs/desk'],
    ['DELETE', '/v1/packs/desk'],
    ['POST', '/v1/packs/desk/install'],
  ] as const)
    expect((await call(method, path, method === 'POST' ? {} : undefined, other.key)).status, path).toBe(404)
  expect((await call('PUT', '/v1/packs/research-notes', desk)).status).toBe(409)
  expect((await call('DELETE', '/v1/packs/research-notes')).status).toBe(409)
  expect((await call('DELETE', '/v1/packs/desk')).status).toBe(200)
  expect((await call('GET', '/v1/packs/desk')).status).toBe(404)
})

test('PCK-02 an install fills the parameters, and stages skills and content with them', async () => {
  await call('PUT', '/v1/packs/help', desk)
  const missing = await call('POST', '/v1/packs/help/install', { brain: 'help' })
  expect(missing).toMatchObject({ status: 400, body: { error: { details: [{ path: 'body.parameters.team' }] } } })
  for (const parameters of [
    { team: 1 },
    { team: 'A', days: '3' },
    { team: 'A', tone: 'loud' },
    { team: 'A', odd: 'x' },
  ])
    expect((await call('POST', '/v1/packs/help/install', { brain: 'help', parameters })).status).toBe(400)
  expect((await call('GET', '/v1/brains/help')).status).toBe(404)
  const parameters = { team: 'Ops "1"', tone: 'formal' }
  const { find, version } = await install('help', { brain: 'help', parameters })
  expect(version).toBe(1)
  const { agent } = (await call('GET', `/v1/agents/${find('agent').id}`)).body.data
  expect(agent).toMatchObject({ name: 'Desk: Ops "1"' })
  expect(agent.instructions).toBe('You answer for Ops "1" in a formal tone. Leave {{unknown}} as it is.')
  expect((await call('GET', '/v1/brains/help')).body.data.brain).toMatchObject({
    purpose: 'What Ops "1" knows.',
    mode: 'review',
  })
  for (const type of ['schema', 'sample'])
    await call('POST', `/v1/brains/help/changes/${find(type).change}/decide`, { decision: 'approved' })
  const { record } = (await call('GET', '/v1/brains/help/records/first')).body.data
  expect(record.fields).toEqual({ text: 'Who is Ops "1"?', days: 30 })
  expect((await call('GET', '/v1/brains/help/skills/tone')).body.data.skill.description).toBe('How Ops "1" writes.')
  const again = await install('help', { brain: 'help' })
  expect(again.items.every(({ outcome }: Item) => outcome === 'present')).toBe(true)
})

test('PCK-03 a Brain keeps the version that it was installed with, until an install names another', async () => {
  const simple = { ...desk, parameters: [], skills: [], agents: [], triggers: [] }
  const file = (text: string) => ({
    ...simple,
    title: 'Notes',
    purpose: 'Notes',
    sample: [{ op: 'record.put', id: 'n', kind: 'question', fields: { text } }],
  })
  await call('PUT', '/v1/packs/notes', file('one'))
  const first = await install('notes', { brain: 'pinned' })
  await call('POST', `/v1/brains/pinned/changes/${first.find('sample').change}/decide`, { decision: 'approved' })
  await call('PUT', '/v1/packs/notes', file('two'))
  const same = await install('notes', { brain: 'pinned' })
  expect([same.version, same.find('sample').outcome]).toEqual([1, 'present'])
  expect((await install('notes', { brain: 'fresh-notes' })).version).toBe(2)
  const next = await install('notes', { brain: 'pinned', version: 2 })
  expect([next.version, next.find('sample').outcome]).toEqual([2, 'staged'])
  expect((await install('notes', { brain: 'pinned' })).version).toBe(2)
  expect((await call('POST', '/v1/packs/notes/install', { version: 9 })).status).toBe(404)
})

test('PCK-04 a wrong pack is refused with the place that is wrong', async () => {
  const wrong: [change: object, path: string][] = [
    [{ title: '' }, 'body.title'],
    [{ odd: 1 }, 'body'],
    [{ triggers: [{ ...desk.triggers[0], agent: 'no one' }] }, 'body.triggers.0.agent'],
    [{ parameters: [{ name: 'a', type: 'choice' }] }, 'body.parameters.0.values'],
    [{ parameters: [{ name: 'a', type: 'number', default: 'x' }] }, 'body.parameters.0.default'],
    [
      {
        parameters: [
          { name: 'a', type: 'text' },
          { name: 'a', type: 'text' },
        ],
      },
      'body.parameters',
    ],
    [{ skills: [{ name: 'tone', files: [{ path: '../x', text: '' }] }] }, 'body.skills.0.files.0.path'],
    [{ sample: [{ op: 'record.fly' }] }, 'body.sample.0'],
  ]
  for (const [change, path] of wrong) {
    const answer = await call('PUT', '/v1/packs/wrong', { ...desk, ...change })
    expect(answer.status, path).toBe(400)
    expect(answer.body.error.details[0].path, path).toContain(path)
  }
  expect((await call('PUT', '/v1/packs/Wrong', desk)).status).toBe(400)
  const long = Array.from({ length: 60 }, (_, at) => ({ kind: `k${at}`, description: 'x'.repeat(1_000) }))
  expect((await call('PUT', '/v1/packs/long', { ...desk, kinds: long })).status).toBe(400)
  expect((await call('GET', '/v1/packs/wrong')).status).toBe(404)
})

test('PCK-05 values cannot make a pack larger than it may be, or wrong', async () => {
  const text = '{{a}}'.repeat(3_000)
  const file = {
    ...desk,
    parameters: [{ name: 'a', type: 'text' }],
    skills: [],
    sample: [{ op: 'document.put', id: 'd', text }],
  }
  await call('PUT', '/v1/packs/large', file)
  const large = await call('POST', '/v1/packs/large/install', { parameters: { a: 'x'.repeat(2_000) } })
  expect(large).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('bytes') } } })
  await call('PUT', '/v1/packs/kinds', {
    ...desk,
    parameters: [{ name: 'a', type: 'text' }],
    skills: [],
    sample: [],
    title: '{{a}}',
  })
  const wrong = await call('POST', '/v1/packs/kinds/install', { parameters: { a: 'x'.repeat(500) } })
  expect(wrong).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('title') } } })
  expect((await call('GET', '/v1/brains/large')).status).toBe(404)
})

test('PCK-06 an organization has so many packs, and two people who add the last one at once do not exceed it', async () => {
  const small = { title: 'Small', description: 'd', purpose: 'p' }
  await Promise.all(Array.from({ length: 49 }, (_, at) => call('PUT', `/v1/packs/p${at}`, small, other.key)))
  const both = await Promise.all(['x', 'y'].map((name) => call('PUT', `/v1/packs/${name}`, small, other.key)))
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  expect(both.find(({ status }) => status === 409)?.body.error.code).toBe('too_many_packs')
  for (let at = 0; at < 21; at++) await call('PUT', '/v1/packs/p0', { ...small, title: `T${at}` }, other.key)
  expect((await call('GET', '/v1/packs/p0?version=2', undefined, other.key)).status).toBe(404)
  expect((await call('GET', '/v1/packs/p0?version=3', undefined, other.key)).status).toBe(200)
})

test('PCK-07 the service publishes the JSON Schema of packs, and every pack fits it', async () => {
  const answer = await app.request('GET', '/v1/pack-schema', {})
  const ajv = new Ajv2020({ strict: false })
  formats.default(ajv)
  const validate = ajv.compile(answer.body.data.schema)
  expect(validate(desk), JSON.stringify(validate.errors)).toBe(true)
  expect(validate({ ...desk, title: 1 })).toBe(false)
  for (const name of ['people-and-conversations', 'support-knowledge', 'research-notes'])
    expect(validate((await call('GET', `/v1/packs/${name}`)).body.data.file), name).toBe(true)
})

test('PCK-05 values that are whole texts of a pack count for its size, too', async () => {
  const sample = Array.from({ length: 20 }, (_, index) => ({
    ...{ op: 'record.put', id: `r${index}`, kind: 'note' },
    fields: { lines: Array.from({ length: 100 }, () => '{{line}}') },
  }))
  const file = {
    ...{ title: 'Wide', description: 'Wide', purpose: 'Wide' },
    parameters: [{ name: 'line', type: 'text' }],
  }
  await call('PUT', '/v1/packs/wide', { ...file, sample })
  const send = (length: number) =>
    call('POST', '/v1/packs/wide/install', { brain: 'wide', parameters: { line: 'x'.repeat(length) } })
  const refused = await send(2_000)
  expect([refused.status, refused.body.error?.message]).toEqual([400, expect.stringContaining('more than')])
  expect((await call('GET', '/v1/brains/wide')).status).toBe(404)
  expect((await send(10)).status).toBe(200)
})
