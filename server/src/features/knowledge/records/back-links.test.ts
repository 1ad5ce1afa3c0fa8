import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { isCluster } from '../../../test/cluster.ts'
import { useApp, useBrainPerTest, useMember } from '../../../test/harness.ts'
import { exportText, importedBrain } from '../../../test/transfer.ts'

// Links and statements read backwards (D-30, D-32, D-52), now and as they were.

const app = useApp()
const member = useMember(app)
const brain = useBrainPerTest(app, member)

type Link = { predicate: string; to: string }

const write = async (...operations: object[]) => {
  const { status, body } = await brain.call('POST', '/batch', { operations })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data
}
const put = (id: string, links: Link[] = [], kind = 'thing') => ({ op: 'record.put', id, kind, links })
const to = (target: string, predicate = 'uses'): Link => ({ predicate, to: target })

const list = async (query: string, from: TestBrain = brain): Promise<string[]> => {
  const { status, body } = await from.call('GET', `/records?${query}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.data.records.map(({ id }: { id: string }) => id)
}

describe('GET /records?linksTo=', () => {
  test('D-30 lists the records that link to one, by predicate, kind and slug, in both orders and page by page', async () => {
    await write(put('hub'), put('a', [to('hub')]), put('b', [to('hub', 'knows'), to('hub')]), put('c', [to('a')]))
    await write({ ...put('d', [to('hub')], 'person'), slug: 'dora' })
    expect(await list('linksTo=hub')).toEqual(['a', 'b', 'd'])
    expect(await list('linksTo=hub&order=desc')).toEqual(['d', 'b', 'a'])
    expect(await list('linksTo=hub&predicate=knows')).toEqual(['b'])
    expect(await list('linksTo=hub&kind=person')).toEqual(['d'])
    expect(await list('linksTo=hub&kind=person&slug=dora')).toEqual(['d'])
    expect(await list('linksTo=hub&slug=other')).toEqual([])
    expect(await list('linksTo=nobody')).toEqual([])
    const { body } = await brain.call('GET', '/records?linksTo=hub&limit=2')
    expect(body.data).toMatchObject({ hasMore: true, records: [{ id: 'a' }, { id: 'b' }] })
    expect(await list(`linksTo=hub&limit=2&after=${body.data.cursor}`)).toEqual(['d'])
  })

  test('D-30 links are distinguished for any characters in their predicates and targets', async () => {
    await write(put('a', [to('b\nc', 'x'), to('c', 'x\nb')]))
    expect(await list(`linksTo=${encodeURIComponent('b\nc')}`)).toEqual(['a'])
    expect(await list('linksTo=c')).toEqual(['a'])
  })

  // No version before this one wrote to distributed tables, which have no triggers.
  test.skipIf(isCluster)(
    'D-30 links of records that a node of the version before writes are read backwards, too',
    async () => {
      await write(put('hub'), put('mine', [to('hub')]))
      // Such a node leaves the links to the triggers of the table.
      const { pool } = app.database
      const { rows } = await pool.query('select brain_id, state_version from brains where id = $1', [brain.brain.id])
      const [{ brain_id: brainId, state_version: state }] = rows
      const insert = `insert into record_versions (brain_id, id, version, kind, from_state, record) values ($1, $2, $3, 'thing', $4, $5)`
      const record = (id: string, links: Link[]) => JSON.stringify({ id, kind: 'thing', fields: {}, links })
      await pool.query(insert, [brainId, 'theirs', 1, state, record('theirs', [to('hub'), to('mine')])])
      expect(await list('linksTo=hub')).toEqual(['mine', 'theirs'])
      await pool.query(`update record_versions set to_state = $2 where brain_id = $1 and id = 'theirs'`, [
        brainId,
        state + 1,
      ])
      await pool.query(insert, [brainId, 'theirs', 2, state + 1, record('theirs', [to('hub')])])
      await pool.query('update brains set state_version = state_version + 1 where brain_id = $1', [brainId])
      expect(await list('linksTo=mine')).toEqual([])
      expect(await list('linksTo=hub')).toEqual(['mine', 'theirs'])
    },
  )

  test('D-30 with a filter by kind a page examines a limited number of links, and its cursor moves past them', async () => {
    for (let part = 0; part < 6; part++)
      await write(
        ...Array.from({ length: 999 }, (_, number) => put(`${part}-${number}`, [to('hub')])),
        put(`${part}-x`, [to('hub')], part === 5 ? 'person' : 'thing'),
      )
    for (const order of ['asc', 'desc'])
      for (const kind of ['person', 'nothing']) {
        const found: string[] = []
        let pages = 0
        for (let after = ''; ; pages++) {
          const { body } = await brain.call('GET', `/records?linksTo=hub&kind=${kind}&order=${order}${after}`)
          found.push(...body.data.records.map(({ id }: { id: string }) => id))
          if (!body.data.hasMore) break
          after = `&after=${body.data.cursor}`
        }
        expect({ found, pages }).toEqual({ found: kind === 'person' ? ['5-x'] : [], pages: 1 })
      }
  })

  test('D-30 a record that was written, deleted in one change and written again has its links again', async () => {
    await write(put('hub'), put('b', [to('hub')]))
    const { stateVersion: gone } = await write(put('b'), { op: 'record.delete', id: 'b' })
    const { stateVersion: back } = await write(put('b', [to('hub')]))
    expect(await list(`linksTo=hub&asOf=${gone}`)).toEqual([])
    expect(await list(`linksTo=hub&asOf=${back}`)).toEqual(['b'])
    expect(await list('linksTo=hub')).toEqual(['b'])
  })

  test('D-30 predicate goes with linksTo, and anything else is refused by name', async () => {
    const { status, body } = await brain.call('GET', '/records?predicate=uses')
    expect(status).toBe(400)
    expect(body.error.details).toMatchObject([{ path: 'query.predicate' }])
  })

  test('D-30 D-07 links are those of the state that is read: removed, deleted and written again', async () => {
    const { stateVersion: first } = await write(put('hub'), put('a', [to('hub')]), put('b', [to('hub')]))
    const { stateVersion: second } = await write(put('a'), { op: 'record.delete', id: 'b' })
    const { stateVersion: third } = await write(put('b', [to('hub', 'knows')]))
    const at = (state: number, more = '') => list(`linksTo=hub&asOf=${state}${more}`)
    expect(await at(first)).toEqual(['a', 'b'])
    expect(await at(first, '&predicate=knows')).toEqual([])
    expect(await at(second)).toEqual([])
    expect(await at(third)).toEqual(['b'])
    expect(await list('linksTo=hub')).toEqual(['b'])
    expect(await at(third, '&predicate=uses')).toEqual([])
  })

  test('D-30 for any writes and changes, backward links are those of the records, at every state', async () => {
    const ids = ['a', 'b', 'c']
    const id = fc.constantFrom(...ids)
    const links = fc.array(fc.record({ predicate: fc.constantFrom('p', 'q'), to: id }), { maxLength: 3 })
    const operation = fc.oneof(
      fc.record({ op: fc.constant('record.put'), id, kind: fc.constant('thing'), links }),
      fc.record({
        op: fc.constant('record.put'),
        id,
        kind: fc.constant('thing'),
        links,
        fields: fc.record({ n: fc.nat() }),
      }),
      fc.record({ op: fc.constant('record.delete'), id }),
    )
    let made = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
        async (changes) => {
          const own = await addBrain(app, member, `links-${++made}`)
          await own.call('POST', '/batch', { operations: ids.map((one) => put(one)) })
          for (const operations of changes) await own.call('POST', '/batch', { operations })
          const { stateVersion } = (await own.call('GET', '/records')).body.data
          for (let state = 1; state <= stateVersion; state++) {
            const { records } = (await own.call('GET', `/records?asOf=${state}`)).body.data
            for (const target of ids)
              for (const predicate of ['p', 'q']) {
                const expected = records.filter((record: { links: Link[] }) =>
                  record.links.some((link) => link.to === target && link.predicate === predicate),
                )
                const found = await list(`linksTo=${target}&predicate=${predicate}&asOf=${state}`, own)
                expect(found).toEqual(expected.map((record: { id: string }) => record.id))
              }
          }
        },
      ),
      { numRuns: 12 },
    )
  })

  test('D-25 an imported Brain has its links backwards, with history and without', async () => {
    await write(put('hub'), put('a', [to('hub')]), put('b', [to('hub')]))
    await write(put('a'), { op: 'record.delete', id: 'b' }, put('c', [to('hub')]))
    for (const history of [true, false]) {
      const text = await exportText(app, brain, { history })
      const { brain: copy, answer } = await importedBrain(app, brain, `copy-${history}`, text)
      expect(answer.status).toBe(200)
      expect(await list('linksTo=hub', copy)).toEqual(['c'])
      if (history) expect(await list('linksTo=hub&asOf=1', copy)).toEqual(['a', 'b'])
    }
  })
})

test('D-32 statements are listed by the record that is their object, now and as it was', async () => {
  await write(put('a'), put('b'))
  const about = (id: string, predicate: string, object: object) => ({
    ...{ op: 'statement.assert', id, subject: { id: 'a', kind: 'thing' }, predicate, object },
  })
  const record = { record: { id: 'b', kind: 'thing' } }
  const { stateVersion } = await write(
    about('s1', 'uses', record),
    about('s2', 'knows', record),
    about('s3', 'uses', { value: 'b' }),
  )
  await write({ op: 'statement.retract', id: 's1' })
  const read = async (query: string) =>
    (await brain.call('GET', `/statements?${query}`)).body.data.statements.map(({ id }: { id: string }) => id)
  expect(await read('object=b')).toEqual(['s2'])
  expect(await read('object=b&retracted=true')).toEqual(['s1'])
  expect(await read(`object=b&asOf=${stateVersion}`)).toEqual(['s1', 's2'])
  expect(await read(`object=b&asOf=${stateVersion}&order=desc&predicate=uses&subject=a`)).toEqual(['s1'])
  expect(await read('object=a')).toEqual([])
})

describe('POST /query with links', () => {
  const query = async (links: object, more: object = {}) => {
    const { status, body } = await brain.call('POST', '/query', { kind: 'start', links, ...more })
    expect(status, JSON.stringify(body)).toBe(200)
    return body.data
  }
  const linked = async (links: object, more: object = {}) =>
    (await query(links, more)).linked.map(({ id }: { id: string }) => id)

  test('D-52 follows links out, in or both ways, over one step or two, now and as it was', async () => {
    const { stateVersion } = await write(
      put('m', [to('out')], 'start'),
      put('out', [to('far')]),
      put('far'),
      put('in', [to('m')]),
      put('into', [to('in', 'knows')]),
      put('beside', [to('out')]),
    )
    expect(await linked({})).toEqual(['out'])
    expect(await linked({ direction: 'in' })).toEqual(['in'])
    expect(await linked({ direction: 'in', depth: 2 })).toEqual(['in', 'into'])
    expect(await linked({ direction: 'in', depth: 2, predicate: 'uses' })).toEqual(['in'])
    expect(await linked({ direction: 'both', depth: 1 })).toEqual(['out', 'in'])
    expect(await linked({ direction: 'both', depth: 2 })).toEqual(['out', 'in', 'far', 'beside', 'into'])
    expect(await linked({ direction: 'both', depth: 0 })).toEqual([])
    await write(put('in'), { op: 'record.delete', id: 'beside' })
    expect(await linked({ direction: 'both', depth: 2 })).toEqual(['out', 'far'])
    expect(await linked({ direction: 'in', depth: 2 }, { asOf: stateVersion })).toEqual(['in', 'into'])
  })

  test('D-52 a hub gives its first 500 and says that there are more; its pages have all of them', async () => {
    await write(put('hub', [], 'start'))
    for (const part of ['a', 'b'])
      await write(
        ...Array.from({ length: 300 }, (_, number) => put(`${part}${String(number).padStart(3, '0')}`, [to('hub')])),
      )
    const answer = await query({ direction: 'both', depth: 2 })
    expect(answer).toMatchObject({ truncated: true })
    expect(answer.linked).toHaveLength(500)
    const exact = await query({ direction: 'in' }, { where: { slug: 'none' } })
    expect(exact.truncated).toBeUndefined()
    const first = await brain.call('GET', '/records?linksTo=hub&limit=500')
    const rest = await list(`linksTo=hub&limit=500&after=${first.body.data.cursor}`)
    expect(first.body.data.records.length + rest.length).toBe(600)
  })
})

describe('a missing record', () => {
  test.each(['direct', 'review'])('D-30 a link to it is written and named in missing, in %s mode', async (mode) => {
    await write(put('here'))
    await brain.call('PATCH', '', { mode })
    const links = [to('here'), to('nowhere'), to('nowhere', 'knows'), to('later')]
    const created = await brain.call('POST', '/records', { kind: 'thing', links })
    expect(created.body.data).toMatchObject({ missing: ['nowhere', 'later'] })
    const replaced = await brain.call('PUT', '/records/here', { kind: 'thing', links: [to('nowhere')] })
    expect(replaced.body.data).toMatchObject({ missing: ['nowhere'] })
    const again = await brain.call('PUT', '/records/here', { kind: 'thing', links: [to('nowhere')] })
    expect(again.body.data).toMatchObject({ missing: ['nowhere'] })
    const patched = await brain.call('PATCH', '/records/here', {
      links: [to('gone', 'knows'), { predicate: 'uses', to: null }],
    })
    expect(patched.body.data).toMatchObject({ missing: ['gone'] })
    const whole = await brain.call('PATCH', '/records/here', { links: [to('here')] })
    expect(whole.body.data.missing).toBeUndefined()
  })

  test('D-30 D-34 links in a batch see the records that it creates, and not those that it deletes', async () => {
    await write(put('old'))
    const data = await write(
      put('a', [to('b'), to('old'), to('nowhere')]),
      put('b'),
      { op: 'record.delete', id: 'old' },
      {
        op: 'statement.assert',
        subject: { id: 'a', kind: 'thing' },
        predicate: 'is',
        object: { record: { id: 'nobody', kind: 'thing' } },
      },
    )
    expect(data.missing).toEqual(['old', 'nowhere', 'nobody'])
  })
})
