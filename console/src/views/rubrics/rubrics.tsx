import type { Rubric } from '@noema/contracts/rubrics.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { later } from '../../components/later.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { toTablePages } from '../../data/paging.ts'
import { rubricsQuery } from '../../data/rubrics.ts'
import { useSession } from '../../session/session.tsx'
import { EvalsPage } from '../eval-sections/evals-page.tsx'
import { RubricPage } from './opened-rubric.tsx'

const RubricDialog = later(async () => (await import('./rubric-dialog.tsx')).RubricDialog)

const columns: readonly Column<Rubric>[] = [
  {
    key: 'name',
    title: 'Name',
    sort: ({ name }) => name,
    cell: ({ name, included }) => (
      <span className="named-cell">
        <Link to="/evals" search={{ open: `rubric_${name}` }}>
          {name}
        </Link>{' '}
        {included && <Badge>included</Badge>}
      </span>
    ),
  },
  {
    key: 'criteria',
    title: 'Criteria',
    isWide: true,
    cell: ({ criteria }) => criteria.map(({ id }) => id).join(', '),
  },
  { key: 'version', title: 'Version', width: 80, align: 'end', cell: ({ version }) => version },
  {
    key: 'changed',
    title: 'Changed',
    width: 120,
    isWide: true,
    cell: ({ updatedAt }) => (updatedAt === null ? '' : <Time iso={updatedAt} />),
  },
]

const RubricList = () => {
  const query = useInfiniteQuery(rubricsQuery(useSession()))
  const navigate = useNavigate()
  const [isMaking, setMaking] = useState(false)
  return (
    <EvalsPage
      section="rubrics"
      actions={
        <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
          New rubric
        </Button>
      }
    >
      <DataTable
        label="Rubrics"
        columns={columns}
        rows={query.data?.pages.flatMap((page) => page.rubrics)}
        toId={({ name }) => name}
        {...toTablePages(query)}
        empty="None."
      />
      {isMaking && (
        <RubricDialog
          onClose={() => setMaking(false)}
          onSaved={(name) => void navigate({ to: '/evals', search: { open: `rubric_${name}` } })}
        />
      )}
    </EvalsPage>
  )
}

/** The rubrics of the organization and of the service, or one of them. */
export const Rubrics = ({ name }: { name: string | undefined }) =>
  name === undefined ? <RubricList /> : <RubricPage key={name} name={name} />
