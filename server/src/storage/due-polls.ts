import { CompiledQuery, type RawBuilder, sql } from 'kysely'
import { createBatcher } from '../shared/concurrency/batcher.ts'
import type { DueKey, DuePage, FindDueKeys, PolledWork } from '../shared/concurrency/leased-work.ts'
import { createSemaphore } from '../shared/concurrency/semaphore.ts'
import type { Db } from './database.ts'
import { wasRefused } from './database-errors.ts'
import { type BoundStatement, defineStatement } from './statements.ts'

type Found = DueKey & { place: number }
/** First pages alone, so that the text of a statement depends on nothing but the work. */
type FirstPage = Pick<DuePage, 'now' | 'limit'>

const maxWorks = 50
/** The works that poll at once where each polls alone: dozens are due in the same moment, and requests need connections too. */
const maxAlone = 2

const selectTogether = (works: readonly PolledWork[], { now, limit }: FirstPage): RawBuilder<Found> => {
  const parts = works.map(({ dueKeys }, place) => {
    const due = dueKeys({ now, limit, after: undefined })
    return sql`select ${sql.lit(place)} as place, due.key, due."dueAt" from (${due}) as due`
  })
  return sql<Found>`${sql.join(parts, sql` union all `)}`
}

/** The statements of works that poll together, each defined once. */
const createStatements = () => {
  const defined = new Map<string, (page: FirstPage) => BoundStatement<Found>>()
  const numbers = new Map<PolledWork, number>()
  const toNumber = (work: PolledWork): number => {
    const number = numbers.get(work) ?? numbers.size
    numbers.set(work, number)
    return number
  }
  return (works: readonly PolledWork[]) => {
    const name = works.map(toNumber).join(' ')
    const statement = defined.get(name) ?? defineStatement((page: FirstPage) => selectTogether(works, page))
    defined.set(name, statement)
    return statement
  }
}

/**
 * Finds due keys for workers. Works of the same period that poll in one turn of the event loop share a statement, so an idle
 * node polls with one round trip a second. If PostgreSQL refuses it, each work polls alone, and only the one at fault fails. If the
 * tables of Brains are on several servers, each work polls alone, a few at a time.
 */
export const createDuePolls = (db: Db, isDivided = false): FindDueKeys => {
  const findStatement = createStatements()
  const run = async (works: readonly PolledWork[], page: FirstPage): Promise<DueKey[][]> => {
    const { text, values } = findStatement(works)(page)
    const { rows } = await db.executeQuery<Found>(CompiledQuery.raw(text, [...values]))
    const found = works.map((): DueKey[] => [])
    for (const { place, key, dueAt } of rows) found[place]?.push({ key, dueAt })
    return found
  }
  const openBatcher = () =>
    createBatcher<{ work: PolledWork; page: DuePage }, DueKey[]>({
      run: (items) => {
        // A clock that went on between two of them must not hide what the later one is to find.
        const [latest] = items.map(({ page }) => page).sort((a, b) => b.now.getTime() - a.now.getTime())
        const works = items.map(({ work }) => work)
        return latest ? run(works, latest) : Promise.resolve([])
      },
      maxItems: maxWorks,
      isSplitAfter: wasRefused,
    })
  const alone = createSemaphore(maxAlone)
  const batchers = new Map<number | undefined, ReturnType<typeof openBatcher>>()
  return async (work, page) => {
    const pollAlone = async () => (await work.dueKeys({ ...page, isDivided }).execute(db)).rows
    if (isDivided) return alone.run(pollAlone)
    if (page.after !== undefined) return pollAlone()
    const batcher = batchers.get(work.everySeconds) ?? openBatcher()
    batchers.set(work.everySeconds, batcher)
    return batcher.add({ work, page })
  }
}
