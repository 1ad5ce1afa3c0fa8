import type { Eval } from '@noema/contracts/evals.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { later } from '../../components/later.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { evalsQuery } from '../../data/evals.ts'
import { toTablePages } from '../../data/paging.ts'
import { useSession } from '../../session/session.tsx'
import { DistillationPage } from '../distillations/distillation.tsx'
import { DistillationList } from '../distillations/distillation-list.tsx'
import { EvalsPage } from '../eval-sections/evals-page.tsx'
import { GoalPage } from '../goals/goal.tsx'
import { GoalList } from '../goals/goals.tsx'
import { EvalPage } from './eval.tsx'
import { TargetName } from './target-name.tsx'

const route = getRouteApi('/evals')

const columns: readonly Column<Eval>[] = [
  {
    key: 'name',
    title: 'Name',
    sort: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link to="/evals" search={{ open: id }}>
        {name}
      </Link>
    ),
  },
  { key: 'target', title: 'Tests', isWide: true, cell: ({ target }) => <TargetName target={target} /> },
  { key: 'cases', title: 'Cases', width: 90, align: 'end', sort: ({ cases }) => cases, cell: ({ cases }) => cases },
  {
    key: 'changed',
    title: 'Changed',
    width: 120,
    isWide: true,
    sort: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time iso={updatedAt} />,
  },
]

const NewEvalDialog = later(async () => (await import('./new-eval.tsx')).NewEvalDialog)

/** The value of `open` that opens the form of a new eval. */
const ofNew = 'new'

const EvalList = ({ isMaking }: { isMaking: boolean }) => {
  const query = useInfiniteQuery(evalsQuery(useSession()))
  const navigate = useNavigate()
  const open = (id?: string) => void navigate({ to: '/evals', search: id === undefined ? {} : { open: id } })
  const make = (
    <Button tone="primary" icon="plus" onClick={() => open(ofNew)}>
      New eval
    </Button>
  )
  return (
    <EvalsPage section={undefined} actions={make}>
      <DataTable
        label="Evals"
        columns={columns}
        rows={query.data?.pages.flatMap((page) => page.evals)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title="No evals yet" action={make}>
            An eval has questions with what is expected of the answers. Create one, or open a run or search in the
            playground of a Brain and add it to an eval. Or import a file: <code>noema evals import</code>.
          </Empty>
        }
      />
      {isMaking && <NewEvalDialog onClose={() => open()} onMade={open} />}
    </EvalsPage>
  )
}

const Rubrics = later(async () => (await import('../rubrics/rubrics.tsx')).Rubrics)

const ofRubric = 'rubric_'

/** The organization's evals, rubrics, goals and distillations, or one of them. */
export const Evals = () => {
  const { open: id } = route.useSearch()
  if (id === undefined || id === ofNew) return <EvalList isMaking={id === ofNew} />
  if (id === 'rubrics') return <Rubrics name={undefined} />
  if (id.startsWith(ofRubric)) return <Rubrics name={id.slice(ofRubric.length)} />
  if (id === 'goals') return <GoalList />
  if (id.startsWith('gol_')) return <GoalPage key={id} id={id} />
  if (id === 'distillations') return <DistillationList />
  return id.startsWith('dst_') ? <DistillationPage key={id} id={id} /> : <EvalPage key={id} id={id} />
}
