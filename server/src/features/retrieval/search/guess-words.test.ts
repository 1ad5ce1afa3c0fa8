import { assert, asyncProperty, constantFrom, nat, tuple } from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useApp, useMember } from '../../../test/harness.ts'
import { untilIndexed } from '../lexical-index/indexed.fixture.ts'

const app = useApp()
const member = useMember(app)

const write = async (brain: TestBrain, texts: Record<string, string>) => {
  const operations = Object.entries(texts).map(([id, text]) => ({ op: 'document.put', id, text }))
  const { status, body } = await brain.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
}
const listIds = async (brain: TestBrain, q: string, mode = 'lexical'): Promise<string[]> => {
  const { status, body } = await brain.call('GET', `/search?${new URLSearchParams({ q, mode })}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.results.map(({ id }: { id: string }) => id)
}

const texts = {
  cluster: 'Kubernetes runs the containers of the whole company.',
  party: 'The organization meets in the lighthouse once a year.',
  bill: 'Invoice INV20417 and order abcxyz99 are paid.',
  code: 'The station KLMNOP sends at night.',
  cart: 'A carton of milk, a cartoon, and a batter to barter for banter.',
}

let brain: TestBrain
beforeAll(async () => {
  brain = await addBrain(app, member, 'misspelled')
  await write(brain, texts)
})

test('QRY-08 a word that no text has finds the one that it begins, or is misspelled for by one letter', async () => {
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, brain)
    for (const q of ['kube', 'kubernets', 'kubernetis', 'Kuberentes', 'what is a kubernnetes'])
      expect(await listIds(brain, q), q).toEqual(['cluster'])
    for (const q of ['organiztion', 'lighthuose']) expect(await listIds(brain, q), q).toEqual(['party'])
  }
})

test('QRY-08 numbers, ids, codes, short words, and words that are there or may be many others are not guessed', async () => {
  for (const isIndexed of [false, true]) {
    if (isIndexed) await untilIndexed(app, brain)
    for (const q of [
      'INV20418',
      '20418',
      'abcxyz98',
      'KLMNOQ',
      'mlik',
      'kub',
      'lubernetes',
      'bacter',
      'bread',
      'kubxrnxtes',
    ])
      expect(await listIds(brain, q), q).toEqual([])
    // "carton" is there, so it does not mean "cartoon".
    const { body } = await brain.call('GET', '/search?q=carton&mode=lexical')
    expect(body.data.results[0].why).toContainEqual({ reason: 'words', words: ['carton'] })
  }
})

test('QRY-08 a guess counts less as evidence than the word itself', async () => {
  const judge = async (q: string) => (await brain.call('GET', `/search?q=${q}&mode=lexical`)).body.data.evidence
  expect([await judge('kubernetes'), await judge('kubernetis')]).toEqual(['strong', 'weak'])
})

test('QRY-08 a word that one Brain of a corpus has is misspelled in none', async () => {
  const other = await addBrain(app, member, 'spelled')
  await write(other, { own: 'The kubernetis is a rare bird.' })
  const { key } = member
  const parts = [{ brain: 'misspelled' }, { brain: 'spelled' }]
  expect((await app.request('PUT', '/v1/corpora/spellings', { key, body: { parts } })).status).toBeLessThan(300)
  const find = async (q: string): Promise<string[]> => {
    const body = { q, mode: 'lexical' }
    const answer = await app.request('POST', '/v1/corpora/spellings/search', { key, body })
    return answer.body.data.results.map(({ id }: { id: string }) => id)
  }
  expect(await find('kubernetis')).toEqual(['own'])
  expect(await find('lighthuose')).toEqual(['party'])
})

test('QRY-08 any one wrong letter behind the first is forgiven in a long word', async () => {
  const word = 'lighthouse'
  const edit = tuple(constantFrom('leave', 'add', 'replace', 'swap'), nat(word.length - 2), constantFrom(...'qxzj'))
  await assert(
    asyncProperty(edit, async ([how, place, letter]) => {
      const at = place + 1
      const [before, rest] = [word.slice(0, at), word.slice(at)]
      const swapped = rest.slice(1, 2) + rest.slice(0, 1) + rest.slice(2)
      const q =
        before + { leave: rest.slice(1), add: letter + rest, replace: letter + rest.slice(1), swap: swapped }[how]
      expect(await listIds(brain, q), q).toEqual(['party'])
    }),
    { numRuns: 30 },
  )
})

test('QRY-08 a query of unknown words costs a few lookups, however long it is', async () => {
  const q = Array.from({ length: 300 }, (_, at) => `unknownword${String.fromCharCode(97 + (at % 26))}`).join(' ')
  const since = performance.now()
  expect(await listIds(brain, q)).toEqual([])
  expect(performance.now() - since).toBeLessThan(2_000)
})
