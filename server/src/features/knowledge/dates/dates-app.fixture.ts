import type { TestApp } from '../../../test/app.ts'
import { type Brain, evolve } from '../schema/schema-app.fixture.ts'

type Workers = TestApp['app']['workers']

/** Sends the due reminders, as a node does once a minute. */
export const emitDueDates = (workers: Workers) => workers.find(({ name }) => name === 'emit reached dates')?.run()

export type Reached = {
  type: string
  occurredAt: string
  data: { record: { id: string; kind: string }; field: string; offset: string; dueAt: string }
}

/** Lists the reminders in a Brain's stream. */
export const listReached = async (brain: Brain): Promise<Reached[]> => {
  const sent: Reached[] = []
  for (let after = ''; ; ) {
    const { events, cursor, hasMore } = (await brain.call('GET', `/events?types=date.reached&limit=500${after}`)).body
      .data
    sent.push(...events)
    if (!hasMore) return sent
    after = `&after=${cursor}`
  }
}

/**
 * Declares the kind Task: `due`, a date, with reminders a day before and on the day; `at`, datetimes, with one an hour
 * before.
 */
export const declareTask = (brain: Brain) =>
  evolve(brain, {
    op: 'addKind',
    kind: 'Task',
    fields: [
      { name: 'due', type: 'date', notifyBefore: ['P1D', 'P0D'] },
      { name: 'at', type: 'datetime', many: true, notifyBefore: ['PT1H'] },
    ],
  })

/** A moment some minutes from the app's now. */
export const inMinutes = ({ clock }: TestApp, minutes: number): string =>
  new Date(clock.now().getTime() + minutes * 60_000).toISOString()

/** The day some days from the app's today, in UTC. */
export const inDays = (test: TestApp, days: number): string => inMinutes(test, days * 1_440).slice(0, 10)
