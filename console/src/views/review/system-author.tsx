import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { agentQuery } from '../../data/agents.ts'
import { distillationQuery } from '../../data/distillations.ts'
import { useSession } from '../../session/session.tsx'

const OfAgent = ({ id }: { id: string }) => {
  const { data } = useQuery(agentQuery(useSession(), id))
  return data ? <> of runs of {data.name}</> : null
}

/** A distillation by the agent of its runs, as far as the reviewer may read them. */
const DistillationLink = ({ id }: { id: string }) => {
  const { data } = useQuery(distillationQuery(useSession(), id))
  const agentId = data?.distillation.from.agentId
  return (
    <Link to="/evals" search={{ open: id }}>
      a distillation{agentId !== undefined && <OfAgent id={agentId} />}
    </Link>
  )
}

/** The part of the service that proposed a change: a distillation, with a link to it, or a derived page. */
export const SystemAuthor = ({ id }: { id: string }) => {
  if (id.startsWith('dst_')) return <DistillationLink id={id} />
  return id.startsWith('drv_') ? 'its derived page' : 'the service'
}
