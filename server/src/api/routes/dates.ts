import { listDates } from '@noema/contracts/dates.ts'
import { brainList } from '../../features/kernel/brains/brains.ts'
import { listComingDates } from '../../features/knowledge/dates/coming-dates.ts'
import { readListPage } from '../../features/platform/cursors/cursors.ts'
import { defineBinding } from '../binding.ts'

export const dateBindings = [
  defineBinding(listDates, async ({ db }, { principal: { brain }, query }) => {
    const { from, to } = query
    const name = `dates ${JSON.stringify({ from, to })}`
    const start: string[] = []
    const list = { ...brainList(db, brain, { list: name, start: '' }), start }
    const { items, cursor, hasMore } = await readListPage(
      list,
      query,
      (page) => listComingDates(db, brain.brainId, { from, to }, page),
      ({ place }) => place,
    )
    return { data: { dates: items.map(({ date }) => date), cursor, hasMore } }
  }),
]
