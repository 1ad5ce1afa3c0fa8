import '../../styles/runs.css'
import type { Criterion, Rubric } from '@noema/contracts/rubrics.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { later } from '../../components/later.tsx'
import { OpenedPage } from '../../components/opened-page.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Time } from '../../components/time.tsx'
import { rubricQuery } from '../../data/rubrics.ts'
import { useEvalList } from '../../data/use-names.ts'
import { ActorName } from '../../items/actor-name.tsx'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const RubricDialog = later(async () => (await import('./rubric-dialog.tsx')).RubricDialog)

const Criteria = ({ criteria }: { criteria: readonly Criterion[] }) => (
  <ul className="eval-results" aria-label="Criteria">
    {criteria.map(({ id, text, weight, required }) => (
      <li key={id} className="eval-result">
        <div className="eval-result-head">
          <code>{id}</code>
          <span className="muted">weight {weight}</span>
          {required && <Badge tone="warning">required</Badge>}
        </div>
        <p className="eval-input">{text}</p>
      </li>
    ))}
  </ul>
)

/** The evals with a grader that names a rubric. */
const useUsers = (name: string) =>
  useEvalList()?.filter(({ graders }) => graders.some((grader) => grader.type === 'rubric' && grader.rubric === name))

const Users = ({ name }: { name: string }) => {
  const users = useUsers(name)
  if (!users) return null
  if (users.length === 0) return <p className="muted">No eval names it as a grader.</p>
  return (
    <p>
      Grades{' '}
      {users.map(({ id, name: evalName }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/evals" search={{ open: id }}>
            {evalName}
          </Link>
        </span>
      ))}
    </p>
  )
}

const Delete = ({ name }: { name: string }) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const users = useUsers(name) ?? []
  const remove = async () => {
    await client.rubrics.delete(name)
    await navigate({ to: '/evals', search: { open: 'rubrics' } })
    await queries.invalidateQueries({ queryKey: [organization.id, 'rubrics', 'list'] })
  }
  return (
    <ConfirmButton size="normal" label="Delete" title={`Delete ${name}?`} confirm="Delete rubric" onConfirm={remove}>
      <p>
        All its versions are deleted.{' '}
        {users.length > 0 && `${plural(users.length, 'eval')} cannot be run until there is one of this name again.`}
      </p>
    </ConfirmButton>
  )
}

const Opened = ({ rubric }: { rubric: Rubric }) => {
  const { name, version, criteria, included, updatedAt, updatedBy } = rubric
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'copy'>()
  const show = async (saved: string) => {
    setOpen(undefined)
    await navigate({ to: '/evals', search: { open: `rubric_${saved}` } })
  }
  return (
    <>
      <PageHeader
        crumbs={
          <Link to="/evals" search={{ open: 'rubrics' }}>
            Rubrics
          </Link>
        }
        title={name}
        badges={included ? <Badge>included</Badge> : <span className="muted">version {version}</span>}
        actions={
          <>
            {!included && <Delete name={name} />}
            <Button onClick={() => setOpen('copy')}>Copy</Button>
            {!included && (
              <Button icon="edit" onClick={() => setOpen('edit')}>
                Edit
              </Button>
            )}
          </>
        }
      />
      {updatedAt !== null && (
        <p className="muted">
          Changed <Time iso={updatedAt} />
          {updatedBy && (
            <>
              {' '}
              by <ActorName actor={updatedBy} />
            </>
          )}
        </p>
      )}
      <Users name={name} />
      <Criteria criteria={criteria} />
      {open === 'edit' && <RubricDialog rubric={rubric} onClose={() => setOpen(undefined)} onSaved={show} />}
      {open === 'copy' && <RubricDialog copied={rubric} onClose={() => setOpen(undefined)} onSaved={show} />}
    </>
  )
}

/** A rubric: its criteria, and the evals that it grades. */
export const RubricPage = ({ name }: { name: string }) => {
  const { data, error, refetch } = useQuery(rubricQuery(useSession(), name))
  return (
    <OpenedPage error={error} isRead={data !== undefined} onRetry={() => void refetch()}>
      {data && <Opened rubric={data} />}
    </OpenedPage>
  )
}
