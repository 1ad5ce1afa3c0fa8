import type { Agent } from '@noema/contracts/agents.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

type UsedByProps = { users: readonly Agent[] | undefined; toDetail: (agent: Agent) => ReactNode }

/** The agents that use a thing, each with how. */
export const UsedBy = ({ users, toDetail }: UsedByProps) => {
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
