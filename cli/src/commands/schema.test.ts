import { readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { systemTiming } from '@noema/sdk/timing.ts'
import { useApp, useMember } from '@noema/server/test/harness.ts'
import { expect, test } from 'vitest'
import { runCli } from '../test/run-cli.ts'

// The schema of a Brain by the command line, against the service itself.

const app = useApp()
const member = useMember(app)

const cli = (argv: string[], { brain = 'shop', input = '' } = {}) =>
  runCli(argv, app.base, {
    env: { NOEMA_BASE_URL: app.base, NOEMA_API_KEY: member.key, NOEMA_BRAIN: brain },
    stdin: Readable.from([input]),
    timing: systemTiming,
  })

const putOrder = (id: string, ...fields: string[]) =>
  cli(['records', 'put', id, '--kind', 'order', ...fields.flatMap((field) => ['--set', field])])

test('D-36 D-37 a schema is declared by typing it, reviewed, shown, changed and listed by version', async () => {
  await cli(['brains', 'create', 'shop'])
  await putOrder('a', 'status=paid', 'amount=0.1', 'due=2031-03-01')
  await putOrder('b', 'status=late', 'amount=0.2', 'due=2031-03-02')
  expect((await cli(['schema', 'show'])).stderr).toContain('noema schema show --emerged --brain shop')
  const emerged = await cli(['schema', 'show', '--emerged'])
  expect(emerged.stdout.split('\n')).toContain('order/amount\tnumber\t2\tnumber')
  const fields = ['status:enum=paid,late:indexed', 'amount:number:indexed', 'due:date:indexed:notifyBefore=P7D,P0D']
  const proposed = await cli([
    ...['schema', 'evolve', '--kind', 'order', ...fields.flatMap((field) => ['--field', field])],
    ...['--link', 'buyer:person:one', '--reason', 'Orders'],
  ])
  expect(proposed).toMatchObject({ code: 0, stdout: expect.stringContaining('order.status\tstrengthening\t') })
  const approve = /noema (changes approve chg_\w+ --brain shop)/.exec(proposed.stderr)?.[1]?.split(' ') ?? []
  expect((await cli(approve)).code).toBe(0)
  expect((await cli(['schema', 'show'])).stdout).toBe(
    [
      'order\tkind\t',
      'order.status\tenum\tenum=paid,late:indexed',
      'order.amount\tnumber\tindexed',
      'order.due\tdate\tindexed:notifyBefore=P7D,P0D',
      'order->buyer\tlink\tto person, at most one',
      '',
    ].join('\n'),
  )
  const operations = [{ op: 'setStrict', kind: 'order', strict: true }]
  for (const input of [
    JSON.stringify(operations),
    JSON.stringify({ operations: [{ ...operations[0], strict: false }] }),
  ])
    expect((await cli(['schema', 'evolve', '--file', '-', '--approve'], { input })).stderr).toContain('Published')
  const retire = [
    'schema',
    'evolve',
    '--kind',
    'order',
    '--retire-link',
    'buyer',
    '--field',
    'amount:number',
    '--strict',
  ]
  expect((await cli([...retire, '--approve', '--json'])).code).toBe(0)
  expect(await putOrder('c', 'weight=3')).toMatchObject({ code: 6 })
  const history = await cli(['schema', 'history'])
  expect(history.stdout.split('\n').slice(0, 3)).toEqual([
    '4\t\torder, order.amount\torder->buyer',
    '3\t\torder\t',
    '2\t\torder\t',
  ])
  expect(JSON.parse((await cli(['schema', 'show', '--schema-version', '1', '--json'])).stdout)).toMatchObject({
    schemaVersion: 1,
    kinds: [{ kind: 'order', strict: false }],
  })
})

test('D-37 a suggested field is promoted by its id, and waits for review unless it is approved', async () => {
  await cli(['brains', 'create', 'later'])
  const on = { brain: 'later' }
  await cli(['records', 'put', 'x', '--kind', 'thing', '--set', 'size=1', '--set', 'note=a'], on)
  const waiting = await cli(['schema', 'promote', 'thing', 'thing/size', '--reason', 'Sizes matter'], on)
  expect(waiting).toMatchObject({ code: 0, stdout: expect.stringContaining('thing') })
  expect((await cli(['schema', 'show'], on)).stdout).toBe('')
  await cli(['schema', 'promote', 'thing/note', '--as', 'text', '--approve'], on)
  expect((await cli(['schema', 'show'], on)).stdout).toContain('thing.note\ttext')
  expect((await cli(['schema', 'promote', 'thing/none'], on)).code).toBe(4)
})

test.each([
  [['evolve'], '--kind'],
  [['evolve', '--kind', 'k', '--field', 'name'], 'name:type'],
  [['evolve', '--kind', 'k', '--field', 'a:enum'], 'lists its values'],
  [['evolve', '--kind', 'k', '--field', 'a:string=x'], 'lists its values'],
  [['evolve', '--kind', 'k', '--field', 'a:string:fast'], 'none of required, many'],
  [['evolve', '--kind', 'k', '--link', 'a:b:two'], 'predicate:kind'],
  [['evolve', '--file', '-'], 'not JSON'],
])('noema schema %j is refused with the way to write it', async (argv, part) => {
  expect(await cli(['schema', ...argv])).toMatchObject({ code: 2, stderr: expect.stringContaining(part) })
})

test('D-52b records are read, counted and grouped by conditions as a person types them', async () => {
  await cli(['brains', 'create', 'counted'])
  const on = { brain: 'counted' }
  for (const [id, status, amount, due] of [
    ['a', 'paid', '0.1', '2031-03-01'],
    ['b', 'late', '0.2', '2031-03-02'],
    ['c', 'late', '5', '2031-04-01'],
  ])
    await cli(
      [
        'records',
        'put',
        `${id}`,
        '--kind',
        'order',
        '--set',
        `status=${status}`,
        '--set',
        `amount=${amount}`,
        '--set',
        `due=${due}`,
      ],
      on,
    )
  const undeclared = await cli(['query', 'order', '--where', 'status=late'], on)
  expect(undeclared).toMatchObject({ code: 6, stderr: expect.stringMatching(/http\S+\/docs\/guides\/schema/) })
  const fields = ['status:string:indexed', 'amount:number:indexed', 'due:date:indexed']
  await cli(['schema', 'evolve', '--kind', 'order', ...fields.flatMap((field) => ['--field', field]), '--approve'], on)
  // The indexes are built in the background.
  await expect.poll(async () => (await cli(['query', 'order', '--by', 'due', '--of', 'amount'], on)).code).toBe(0)
  await expect.poll(async () => (await cli(['query', 'order', '--by', 'status'], on)).code).toBe(0)
  const ask = async (...argv: string[]) => (await cli(['query', 'order', ...argv], on)).stdout
  expect(await ask('--where', 'status=late', '--count')).toBe('2\n')
  expect(await ask('--where', 'amount>=0.2', '--where', 'amount<5', '--count')).toBe('1\n')
  expect(await ask('--where', 'status={"in": ["late"]}', '--limit', '1')).toMatch(/^b\torder\t/)
  expect(await ask('--by', 'status', '--of', 'amount')).toBe('late\t2\t5.2\t2.6\t0.2\t5\npaid\t1\t0.1\t0.1\t0.1\t0.1\n')
  expect(await ask('--by', 'due', '--interval', 'month')).toBe('2031-03\t2\n2031-04\t1\n')
  expect(JSON.parse(await ask('--of', 'amount', '--json')).aggregate.groups).toMatchObject([{ count: 3, sum: 5.3 }])
  expect((await cli(['query', 'order', '--where', 'status'], on)).code).toBe(2)
  expect((await cli(['query', 'order', '--interval', 'day'], on)).code).toBe(2)
})

test('every command of docs/schema.md with noema is one that there is', async () => {
  const page = readFileSync(new URL('../../../docs/schema.md', import.meta.url), 'utf8')
  const blocks = [...page.matchAll(/^```sh name=cli\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
  const lines = blocks.flatMap((text) => text.replaceAll('\\\n', '').trim().split('\n'))
  expect(lines.length).toBeGreaterThan(7)
  for (const line of lines) {
    const argv = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '').slice(1)
    const { code, stderr } = await cli([...argv, '--brain', 'nowhere'])
    expect({ line, code }, stderr).toEqual({ line, code: 4 })
  }
})
