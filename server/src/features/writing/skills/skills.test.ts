import { createHash } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, createBrain, createMember, type TestBrain } from '../../../test/app.ts'
import { useApp } from '../../../test/harness.ts'
import { exportText, importText } from '../../../test/transfer.ts'
import { toMain, toSkill, useSkills } from './use-skills.fixture.ts'

const app = useApp()
let owner: TestBrain
let made = 0
beforeAll(async () => {
  owner = await createBrain(app)
})

const newBrain = () => addBrain(app, owner, `skills-${++made}`)
const setUp = async () => {
  const brain = await newBrain()
  return { brain, ...useSkills(brain) }
}
const code = (status: number, name: string) => ({ status, body: { error: { code: name } } })
const toBytes = (text: string) => Buffer.byteLength(text)
const toDigest = (text: string) => createHash('sha256').update(text).digest('hex')

test('SKL-01 a skill is written as one change, and read with its files, their versions and digests', async () => {
  const { brain, put, get, file } = await setUp()
  const main = toMain('fill-forms', { fields: 'license: MIT\ncompatibility: Python 3\nmetadata:\n  version: "1.2"\n' })
  const written = await put('fill-forms', { 'references/forms.md': 'Ää 𝄞', 'scripts/run.py': 'print(1)' }, {}, main)
  expect(written).toMatchObject({
    status: 200,
    body: { data: { outcome: 'landed', counts: { add: 3, update: 0, retire: 0, unchanged: 0 } } },
  })
  const { stateVersion, skill, change } = written.body.data
  const read = (await get('fill-forms')).body.data
  expect(read).toEqual({
    skill: {
      ...{ name: 'fill-forms', description: 'How to fill-forms.', license: 'MIT', compatibility: 'Python 3' },
      metadata: { version: '1.2' },
      skillVersionId: skill.skillVersionId,
      files: [
        ['SKILL.md', main, 'text/markdown'],
        ['references/forms.md', 'Ää 𝄞', 'text/markdown'],
        ['scripts/run.py', 'print(1)', 'text/x-python'],
      ].map(([path = '', text = '', contentType]) => ({
        ...{ path, documentId: `skills/fill-forms/${path}`, version: 1, digest: toDigest(text), bytes: toBytes(text) },
        contentType,
      })),
    },
    stateVersion,
  })
  const { body } = await file('fill-forms', 'references/forms.md')
  expect(body.data.file).toEqual({ ...read.skill.files[1], text: 'Ää 𝄞' })
  const events = (await brain.call('GET', '/events?limit=500')).body.data.events
  expect(events.map(({ data }: { data: { change?: string } }) => data.change)).toEqual([
    change.id,
    change.id,
    change.id,
  ])
  expect((await brain.call('GET', '/documents?source=skill:fill-forms')).body.data.documents).toHaveLength(3)
})

test('SKL-01 a second write adds, updates and retires only what differs, and an equal one changes nothing', async () => {
  const { put, get } = await setUp()
  const first = (await put('a', { 'old.md': 'Old', 'same.md': 'Same', 'b/c.md': '1' })).body.data
  const second = await put('a', { 'new.md': 'Old', 'same.md': 'Same', 'b/c.md': '2' })
  expect(second).toMatchObject({
    status: 200,
    body: { data: { counts: { add: 1, update: 1, retire: 1, unchanged: 2 } } },
  })
  const { skill } = (await get('a')).body.data
  expect(skill.files.map(({ path, version }: { path: string; version: number }) => [path, version])).toEqual([
    ['SKILL.md', 1],
    ['b/c.md', 2],
    ['new.md', 1],
    ['same.md', 1],
  ])
  expect(skill.skillVersionId).toBe(second.body.data.skill.skillVersionId)
  expect(skill.skillVersionId).not.toBe(first.skill.skillVersionId)
  const third = await put('a', { 'b/c.md': '2', 'new.md': 'Old', 'same.md': 'Same' })
  expect(third).toMatchObject({
    status: 200,
    body: { data: { change: null, skill: { skillVersionId: skill.skillVersionId }, counts: { unchanged: 4 } } },
  })
  expect(third.body.data.stateVersion).toBe(second.body.data.stateVersion)
})

test('SKL-02 a skill waits for review as one change; a repeat stages nothing new, and the approval serves all of it', async () => {
  const { brain, put, get, list } = await setUp()
  await brain.call('PATCH', '', { mode: 'review' })
  const staged = await put('a', { 'b.md': 'B' }, { reason: 'First' })
  expect(staged).toMatchObject({
    status: 202,
    body: { data: { outcome: 'staged', stateVersion: null, skill: { skillVersionId: null }, counts: { add: 2 } } },
  })
  const { change } = staged.body.data
  expect((await put('a', { 'b.md': 'B' }, { reason: 'First' })).body.data.change).toEqual(change)
  expect((await get('a')).status).toBe(404)
  expect((await list()).body.data.skills).toEqual([])
  const seen = (await brain.call('GET', `/changes/${change.id}`)).body.data.change
  expect(seen).toMatchObject({ reason: 'First', items: [{ op: 'document.put' }, { op: 'document.put' }] })
  await brain.call('POST', `/changes/${change.id}/decide`, { decision: 'approved' })
  await brain.call('POST', `/changes/${change.id}/publish`, {})
  expect((await get('a')).body.data.skill.files).toHaveLength(2)
  expect(await brain.call('DELETE', '/skills/a')).toMatchObject({
    status: 202,
    body: { data: { counts: { retire: 2 } } },
  })
  expect((await get('a')).status).toBe(200)
})

test('SKL-03 of two people at once, the one who names an old version is refused, and both writes without one land', async () => {
  const { put, get, remove } = await setUp()
  expect(await put('a', {}, { ifMatch: 'skv_0' })).toMatchObject(code(409, 'stale_version'))
  const { skillVersionId: seen } = (await put('a', {}, { ifMatch: 'none' })).body.data.skill
  const answers = await Promise.all(['x', 'y', 'z'].map((text) => put('a', { 'b.md': text }, { ifMatch: seen })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  const both = await Promise.all(['1', '2'].map((text) => put('a', { 'b.md': text })))
  expect(both.map(({ status }) => status)).toEqual([200, 200])
  expect(await put('a', {}, { ifMatch: 'none' })).toMatchObject(code(409, 'stale_version'))
  expect(await remove('a', `?ifMatch=${seen}`)).toMatchObject(code(409, 'stale_version'))
  const { skillVersionId } = (await get('a')).body.data.skill
  expect((await remove('a', `?ifMatch=${skillVersionId}`)).status).toBe(200)
})

test('SKL-04 a deleted skill is gone from now on, can be read as of before, and its change can be reverted', async () => {
  const { brain, put, get, file, list, remove, stateVersion } = await setUp()
  const before = await stateVersion()
  await put('a', { 'b.md': 'B' })
  const at = await stateVersion()
  const { change, counts } = (await remove('a')).body.data
  expect(counts).toEqual({ add: 0, update: 0, retire: 2, unchanged: 0 })
  for (const read of [get('a'), file('a', 'b.md'), remove('a'), get('a', `?asOf=${before}`)])
    expect((await read).status).toBe(404)
  expect((await list()).body.data.skills).toEqual([])
  expect((await list(`?asOf=${before}`)).body.data.skills).toEqual([])
  expect((await get('a', `?asOf=${at}`)).body.data.skill.files).toHaveLength(2)
  expect((await file('a', 'b.md', `?asOf=${at}`)).body.data.file.text).toBe('B')
  expect((await list(`?asOf=${at}`)).body.data.skills).toMatchObject([{ name: 'a', files: 2 }])
  expect((await brain.call('POST', `/changes/${change.id}/revert`, {})).status).toBeLessThan(300)
  expect((await get('a')).body.data.skill.files).toHaveLength(2)
})

test('SKL-05 a renamed file keeps the text under the new path, and the old path is part of the earlier state alone', async () => {
  const { put, get, file, stateVersion } = await setUp()
  await put('a', { 'old.md': 'Text' })
  const at = await stateVersion()
  await put('a', { 'docs/new.md': 'Text' })
  expect((await file('a', 'old.md')).status).toBe(404)
  expect((await file('a', 'docs/new.md')).body.data.file.text).toBe('Text')
  const paths = async (query = '') =>
    (await get('a', query)).body.data.skill.files.map(({ path }: { path: string }) => path)
  expect(await paths()).toEqual(['SKILL.md', 'docs/new.md'])
  expect(await paths(`?asOf=${at}`)).toEqual(['SKILL.md', 'old.md'])
})

test('SKL-06 a file that someone edits as a document stays part of the skill, and the skill has a new version', async () => {
  const { brain, put, get, list } = await setUp()
  const { skillVersionId } = (await put('a', { 'b.md': 'B' })).body.data.skill
  await brain.call('POST', '/documents', { id: 'skills/a/b.md', text: 'Edited' })
  await brain.call('POST', '/documents', { id: 'skills/a/c.md', text: 'Added' })
  const { skill } = (await get('a')).body.data
  expect(skill.files.map(({ path }: { path: string }) => path)).toEqual(['SKILL.md', 'b.md', 'c.md'])
  expect(skill.skillVersionId).not.toBe(skillVersionId)
  expect((await list()).body.data.skills).toMatchObject([{ files: 3, skillVersionId: skill.skillVersionId }])
  // The next write has the folder as it is sent.
  expect((await put('a', { 'b.md': 'Edited' })).body.data.counts).toEqual({
    add: 0,
    update: 1,
    retire: 1,
    unchanged: 1,
  })
  expect((await brain.call('GET', '/documents/skills%2Fa%2Fb.md')).body.data.document.source.name).toBe('skill:a')
})

test('SKL-06 a skill whose SKILL.md became invalid or was retired is listed with its problem', async () => {
  const { brain, put, get, list } = await setUp()
  await put('fine')
  for (const name of ['broken', 'missing']) await put(name, { 'b.md': 'B' })
  await brain.call('POST', '/documents', { id: 'skills/broken/SKILL.md', text: '---\nname: [\n---\n' })
  await brain.call('DELETE', `/documents/${encodeURIComponent('skills/missing/SKILL.md')}`)
  expect((await list()).body.data.skills).toMatchObject([
    { name: 'broken', description: null, problem: expect.stringContaining('not valid YAML') },
    { name: 'fine', description: 'How to fine.' },
    { name: 'missing', description: null, problem: expect.stringContaining('no SKILL.md'), files: 1 },
  ])
  expect((await list()).body.data.skills[1]).not.toHaveProperty('problem')
  expect((await get('broken')).body.data.skill).toMatchObject({ description: null, files: [{}, {}] })
})

test('SKL-06 documents of another source are not replaced, and folders with other names are not skills', async () => {
  const { brain, put, list, remove } = await setUp()
  await brain.call('POST', '/documents', { id: 'skills/a/SKILL.md', text: toMain('a'), source: { name: 'wiki' } })
  expect(await put('a')).toMatchObject(code(409, 'source_conflict'))
  expect(await remove('a')).toMatchObject(code(409, 'source_conflict'))
  for (const id of ['skills/readme.md', 'skills/Upper/SKILL.md', 'skills/b', 'skills/b--c/x', 'skill/x/SKILL.md'])
    await brain.call('POST', '/documents', { id, text: id })
  await put('b')
  expect((await list()).body.data.skills.map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
})

test('SKL-07 names, paths and sizes are checked, and each refusal says where', async () => {
  const { put, brain } = await setUp()
  const refuse = async (body: object, path: string, name = 'a') => {
    const { status, body: answer } = await brain.call('PUT', `/skills/${name}`, body)
    expect([status, answer.error.kind], JSON.stringify(answer)).toEqual([400, 'validation'])
    expect(JSON.stringify(answer.error)).toContain(path)
  }
  for (const name of ['A', 'a_b', '-a', 'a--b', 'a'.repeat(65), 'ä'])
    await refuse(toSkill('a'), 'name', encodeURIComponent(name))
  await refuse({ files: [] }, 'files')
  await refuse({ files: [{ path: 'b.md', text: 'B' }] }, 'SKILL.md')
  await refuse(toSkill('a', {}, toMain('b')), 'files.0.text')
  for (const path of [
    '../x',
    '/x',
    'a/../b',
    'a//b',
    './a',
    'a\\b',
    'a\u0000b',
    'a\nb',
    'a\u202eb',
    'x'.repeat(121),
    'a/',
  ])
    await refuse(toSkill('a', { [path]: 'x' }), 'files.1.path')
  await refuse(toSkill('a', { 'B.md': '1', 'b.md': '2' }), 'files.2.path')
  await refuse(toSkill('a', { 'b/c.md': '1', b: '2' }), 'files.1.path')
  await refuse(toSkill('a', { 'b.md': 'x'.repeat(1024 * 1024 + 1) }), 'files.1.text')
  const large = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.txt`, 'x'.repeat(1024 * 1024 - 1)]))
  await refuse(toSkill('a', large), 'files')
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`${at}.txt`, 'x']))
  await refuse(toSkill('a', many), 'files')
  expect((await put('a', Object.fromEntries(Object.entries(many).slice(1)))).status).toBe(200)
})

test('SKL-08 a Brain has at most 200 skills, and a list of all of them reads only the beginning of each', async () => {
  const { brain, list, put } = await setUp()
  const names = Array.from({ length: 200 }, (_, at) => `s-${at}`)
  const padding = 'x'.repeat(20_000)
  for (const part of [names.slice(0, 100), names.slice(100)]) {
    const operations = part.map((name) => ({
      ...{ op: 'document.put', id: `skills/${name}/SKILL.md`, text: toMain(name, { body: padding }) },
    }))
    expect((await brain.call('POST', '/batch', { operations })).status).toBe(200)
  }
  const read: string[] = []
  const pages: number[] = []
  let after = ''
  do {
    const { skills, cursor, hasMore } = (await list(`?limit=80${after}`)).body.data
    read.push(...skills.map(({ name }: { name: string }) => name))
    pages.push(skills.length)
    after = hasMore ? `&after=${cursor}` : ''
  } while (after !== '')
  expect(pages).toEqual([80, 80, 40])
  expect(read.toSorted()).toEqual(names.toSorted())
  const all = await list('?limit=200&order=desc')
  expect(all.body.data.skills.map(({ name }: { name: string }) => name)).toEqual(read.toReversed())
  expect(JSON.stringify(all.body).length).toBeLessThan(60_000)
  expect(await put('another')).toMatchObject(code(409, 'too_many_skills'))
  expect((await put('s-7')).status).toBe(200)
})

test('SKL-09 a skill survives export and import with its versions, and no other organization reaches it', async () => {
  const { brain, put, get } = await setUp()
  await put('a', { 'b.md': '1' })
  await put('a', { 'b.md': '2' })
  const { skill } = (await get('a')).body.data
  const copy = await newBrain()
  expect((await importText(app, copy, await exportText(app, brain))).status).toBeLessThan(300)
  expect((await useSkills(copy).get('a')).body.data.skill).toEqual(skill)
  const { key } = await createMember(app)
  for (const [method, path, body] of [
    ['GET', '/skills'],
    ['GET', '/skills/a'],
    ['GET', '/skills/a/files/b.md'],
    ['PUT', '/skills/a', toSkill('a')],
    ['DELETE', '/skills/a'],
  ] as const)
    expect((await app.request(method, brain.path + path, { key, ...(body ? { body } : {}) })).status).toBe(404)
  await brain.call('DELETE', '')
  expect((await get('a')).status).toBe(404)
})
