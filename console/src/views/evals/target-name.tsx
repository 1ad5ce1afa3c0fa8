import type { EvalTarget } from '@noema/contracts/evals.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { agentQuery } from '../../data/agents.ts'
import { useSession } from '../../session/session.tsx'

const AgentName = ({ id }: { id: string }) => {
  const { data } = useQuery(agentQuery(useSession(), id))
  return (
    <Link to="/agents/$id" params={{ id }}>
      {data?.name ?? 'an agent'}
    </Link>
  )
}

/** The agent, Brain or corpus that an eval tests, with a link. */
export const TargetName = ({ target }: { target: EvalTarget }) => {
  if ('agentId' in target) return <AgentName id={target.agentId} />
  if ('corpus' in target)
    return (
      <>
        {target.read} of{' '}
        <Link to="/settings/corpora" search={{ corpus: target.corpus }}>
          {target.corpus}
        </Link>
      </>
    )
  return (
    <>
      {target.read} of{' '}
      <Link to="/brains/$handle" params={{ handle: target.brain }}>
        {target.brain}
      </Link>
    </>
  )
}
