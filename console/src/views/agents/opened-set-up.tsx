import type { Agent } from '@noema/contracts/agents.ts'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'

/** The actions for a connector or provider of the organization. */
type Acts = {
  /** The label of the edit action. */
  change: string
  toDialog: (close: () => void) => ReactNode
  remove: () => Promise<unknown>
  /** The consequences of its deletion. */
  erased: string
  /** The query to reload after the deletion. */
  queryKey: QueryKey
}

type OpenedProps = {
  name: string
  sort: 'connector' | 'provider'
  /** The parts that agents use. */
  parts: 'tools' | 'models'
  problem?: string | null | undefined
  facts: ReactNode
  acts: Acts | undefined
  /** The agents that use parts of it; undefined until they are loaded. */
  users: readonly Agent[] | undefined
  /** The parts that an agent uses. */
  toDetail: (agent: Agent) => ReactNode
  onClose: () => void
  children: ReactNode
}

const Users = ({ users, toDetail }: Pick<OpenedProps, 'users' | 'toDetail'>) => {
  if (users === undefined) return null
  if (users.length === 0) return <p className="muted">No agent uses it.</p>
  return (
    <ul className="lines">
      {users.map((agent) => (
        <li key={agent.id}>
          <Link to="/agents/$id" params={{ id: agent.id }}>
            {agent.name}
          </Link>
          <span className="muted">{toDetail(agent)}</span>
        </li>
      ))}
    </ul>
  )
}

type DeleteProps = { thing: OpenedProps; acts: Acts; close: () => void }

/** Asks for confirmation of a deletion, and lists the agents that use parts of it. */
const Delete = ({ thing: { name, sort, parts, users = [], onClose }, acts, close }: DeleteProps) => {
  const queries = useQueryClient()
  const remove = async () => {
    await acts.remove()
    onClose()
    await queries.invalidateQueries({ queryKey: acts.queryKey })
  }
  return (
    <ConfirmDialog isOpen title={`Delete ${name}?`} confirm={`Delete ${sort}`} onConfirm={remove} onClose={close}>
      <p>{acts.erased}</p>
      {users.length > 0 && (
        <p>
          {users.length === 1 ? `One agent uses its ${parts}` : `${users.length} agents use its ${parts}`}: their runs
          fail at the next step.
        </p>
      )}
    </ConfirmDialog>
  )
}

/** A connector or provider in its drawer: its facts, its actions, and the agents that use parts of it. */
export const OpenedSetUp = (thing: OpenedProps) => {
  const { parts, problem, facts, acts, users, toDetail, children } = thing
  const [open, setOpen] = useState<'change' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <div className="stack">
      {problem && (
        <Notice tone="danger">
          <p>{problem}</p>
        </Notice>
      )}
      {facts}
      {acts && (
        <div className="actions">
          <Button icon="edit" onClick={() => setOpen('change')}>
            {acts.change}
          </Button>
          <Button icon="trash" tone="danger" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </div>
      )}
      {children}
      <Panel title={`Agents with its ${parts}`}>
        <Users users={users} toDetail={toDetail} />
      </Panel>
      {open === 'change' && acts?.toDialog(close)}
      {open === 'delete' && acts && <Delete {...{ thing, acts, close }} />}
    </div>
  )
}
