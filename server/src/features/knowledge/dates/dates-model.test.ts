import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { addBrain, type TestBrain } from '../../../test/app.ts'
import { useMember, useOwnApp } from '../../../test/harness.ts'
import { runPass } from '../../../test/run-pass.ts'
import { createReminding } from '../../writing/due-dates/due-dates.ts'
import { evolve } from '../schema/schema-app.fixture.ts'
import { declareTask, listReached } from './dates-app.fixture.ts'

// Only the test sends reminders.
const app = useOwnApp({ NOEMA_ROLES: 'http' })
const member = useMember(app)
beforeAll(async () => {
  app.clock.hold()
})
const emit = () => runPass(app.app.deps, createReminding(app.app.deps))

const hour = 3_600_000
const before: Record<string, number> = { P0D: 0, P1D: 24 * hour, PT1H: hour, PT6H: 6 * hour }

// Times are hours after the beginning of a run, days those of its calendar, so that clock and dates meet often.
const hours = fc.integer({ min: -2, max: 60 })
const days = fc.integer({ min: 0, max: 3 })
const id = fc.constantFrom('a', 'b', 'c')
const kind = fc.constantFrom('Task', 'Task', 'Task', 'Job', 'Free')
const times = fc.uniqueArray(hours, { minLength: 1, maxLength: 2 })
const rarelyNull = { freq: 8 }
const fields = fc.record({ due: fc.option(days, rarelyNull), at: fc.option(times, rarelyNull) })
const patch = fc.record(
  { due: fc.option(days, rarelyNull), at: fc.option(times, rarelyNull), note: fc.nat(3) },
  { requiredKeys: [] },
)
const write = fc.oneof(
  { weight: 4, arbitrary: fc.record({ op: fc.constant('put' as const), id, kind, fields }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant('patch' as const), id, fields: patch }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('retype' as const), id, kind }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('delete' as const), id }) },
)
const notices = fc.constantFrom<string[][]>(['PT1H'], ['PT6H', 'PT1H'], [])
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      writes: fc.array(write, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 59, 180, 700) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('emit' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('evolve' as const), notices }) },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never
type Write = typeof write extends fc.Arbitrary<infer One> ? One : never
type Record_ = { kind: string; due?: number | null; at?: number[] | null }
type Reminder = { id: string; field: string; value: number; offset: string; due: number }

/** A simple model of a Brain's pending and sent reminders. */
class Model {
  readonly sent: string[] = []
  readonly #begin: number
  readonly #records = new Map<string, Record_>()
  readonly #pending = new Map<string, Reminder>()
  readonly #done = new Set<string>()
  notices: string[] = ['PT1H']

  constructor(begin: number) {
    this.#begin = begin
  }

  write(writes: readonly Write[], now: number): void {
    for (const one of writes) this.#apply(one, now)
  }

  evolve(offsets: readonly string[], now: number): void {
    const gone = this.notices.filter((offset) => !offsets.includes(offset))
    const added = offsets.filter((offset) => !this.notices.includes(offset))
    this.notices = [...offsets]
    for (const [name, one] of this.#pending)
      if (this.#records.get(one.id)?.kind === 'Task' && one.field === 'at' && gone.includes(one.offset))
        this.#pending.delete(name)
    for (const [named, record] of this.#records)
      if (record.kind === 'Task')
        this.#await(
          this.#reminders(named, record).filter(({ field, offset }) => field === 'at' && added.includes(offset)),
          now,
        )
  }

  emit(now: number): void {
    const due = [...this.#pending].filter(([, one]) => one.due <= now)
    const key = ([, { due: at, id: named, field, value, offset }]: (typeof due)[number]) =>
      [at, named, field, value, offset].map((part) => String(part).padStart(16, '0')).join(' ')
    for (const [name, one] of due.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))) {
      this.#pending.delete(name)
      this.#done.add(name)
      const dueAt = new Date(one.due).toISOString()
      this.sent.push([one.id, this.#records.get(one.id)?.kind, one.field, one.offset, dueAt].join(' '))
    }
  }

  #apply(one: Write, now: number): void {
    const current = this.#records.get(one.id)
    const next: Record_ | undefined =
      one.op === 'delete'
        ? undefined
        : one.op === 'put'
          ? { kind: one.kind, ...one.fields }
          : { kind: 'Free', ...current, ...(one.op === 'retype' ? { kind: one.kind } : one.fields) }
    const [had, has] = [this.#reminders(one.id, current), this.#reminders(one.id, next)]
    const names = (reminders: Reminder[]) => new Set(reminders.map(toReminderKey))
    for (const reminder of had)
      if (!names(has).has(toReminderKey(reminder))) this.#pending.delete(toReminderKey(reminder))
    this.#await(
      has.filter((reminder) => !names(had).has(toReminderKey(reminder))),
      now,
    )
    if (next) this.#records.set(one.id, next)
    else this.#records.delete(one.id)
  }

  #await(reminders: readonly Reminder[], now: number): void {
    for (const reminder of reminders)
      if (reminder.due > now && !this.#done.has(toReminderKey(reminder)))
        this.#pending.set(toReminderKey(reminder), reminder)
  }

  #reminders(named: string, record: Record_ | undefined): Reminder[] {
    const at = (field: string, value: number, offsets: readonly string[]) =>
      offsets.map((offset) => ({ id: named, field, value, offset, due: value - (before[offset] ?? 0) }))
    const ofTask = record?.kind === 'Task'
    const day = record?.due ?? undefined
    const due = day === undefined ? [] : at('due', dayAt(this.#begin, day), ofTask ? ['P1D', 'P0D'] : ['P0D'])
    const times = ofTask
      ? (record?.at ?? []).flatMap((value) => at('at', this.#begin + value * hour, this.notices))
      : []
    return ofTask || record?.kind === 'Job' ? [...due, ...times] : []
  }
}

const toReminderKey = ({ id: named, field, value, offset }: Reminder) => `${named} ${field} ${value} ${offset}`
const dayAt = (begin: number, day: number) => Date.parse(new Date(begin + day * 24 * hour).toISOString().slice(0, 10))
const written = (begin: number, { due, at, ...rest }: { due?: number | null; at?: number[] | null }) => ({
  ...rest,
  ...(due === undefined ? {} : { due: due === null ? null : new Date(dayAt(begin, due)).toISOString().slice(0, 10) }),
  ...(at === undefined
    ? {}
    : { at: at === null ? null : at.map((value) => new Date(begin + value * hour).toISOString()) }),
})

const toOperation = (begin: number, one: Write) => {
  if (one.op === 'delete') return { op: 'record.delete', id: one.id }
  if (one.op === 'retype') return { op: 'record.patch', id: one.id, kind: one.kind }
  const given = written(begin, one.fields)
  // Null removes a field in a patch, and is no date in a put.
  const put = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null))
  return one.op === 'put'
    ? { op: 'record.put', id: one.id, kind: one.kind, fields: put }
    : { op: 'record.patch', id: one.id, fields: given }
}

const setNotices = (brain: TestBrain, notifyBefore: readonly string[]) => {
  const field = { name: 'at', type: 'datetime', many: true, ...(notifyBefore.length > 0 ? { notifyBefore } : {}) }
  return evolve(brain, { op: 'setField', kind: 'Task', field })
}

/** The first step of every run, so that there is something to change and to delete. */
const beginning: Step = {
  do: 'write',
  writes: (['a', 'b', 'c'] as const).map((named) => ({
    ...({ op: 'put', id: named, kind: 'Task' } as const),
    fields: { due: 2, at: [5, 30] },
  })),
}

let runs = 0
let totalSent = 0
test('DAT-01 DAT-03 DAT-04 DAT-05 DAT-06 D-85 for any writes and polls, the stream has the reminders of a plain model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
      const brain = await addBrain(app, member, `model-${runs++}`)
      await declareTask(brain)
      await evolve(brain, {
        op: 'addKind',
        kind: 'Job',
        fields: [{ name: 'due', type: 'date', notifyBefore: ['P0D'] }],
      })
      const begin = app.clock.now().getTime()
      const model = new Model(begin)
      for (const one of [beginning, ...steps]) {
        const now = app.clock.now().getTime()
        if (one.do === 'wait') app.clock.advance({ minutes: one.minutes })
        if (one.do === 'evolve' && one.notices.join() !== model.notices.join()) {
          await setNotices(brain, one.notices)
          model.evolve(one.notices, now)
        }
        if (one.do === 'emit') {
          await emit()
          model.emit(now)
        }
        if (one.do !== 'write') continue
        const operations = one.writes.map((each) => toOperation(begin, each))
        const { status, body } = await brain.call('POST', '/batch', { operations })
        // A patch of a deleted record is refused, and the batch with it.
        expect([200, 404], JSON.stringify(body)).toContain(status)
        if (status === 200) model.write(one.writes, now)
      }
      app.clock.advance({ days: 9 })
      await emit()
      model.emit(app.clock.now().getTime())
      const sent = (await listReached(brain)).map(({ data: { record, field, offset, dueAt } }) =>
        [record.id, record.kind, field, offset, dueAt].join(' '),
      )
      expect(sent).toEqual(model.sent)
      totalSent += sent.length
    }),
    { numRuns: 20 },
  )
  expect(totalSent).toBeGreaterThan(20)
})
