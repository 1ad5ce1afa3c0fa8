import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import '../../styles/overview.css'
import '../../styles/records.css'
import '../../styles/schema.css'
import { Empty } from '../../components/empty.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { schemaProposalsQuery, schemaQuery } from '../../data/schema.ts'
import { addStep } from '../../data/schema-words.ts'
import { useSession } from '../../session/session.tsx'
import { Emerged } from './emerged.tsx'
import { KindPanel } from './kind-panel.tsx'
import { Lineage } from './lineage.tsx'
import { NewKind } from './new-kind.tsx'
import { Proposal } from './proposal.tsx'

const route = getRouteApi('/brains/$handle/schema')

/** All proposals that wait for review. */
const Waiting = ({ handle }: { handle: string }) => {
  const { data } = useQuery(schemaProposalsQuery(useSession(), handle))
  if (!data || data.length === 0) return null
  return (
    <Panel title="Pending proposals" isFlush>
      <ul className="panel-list">
        {data.map(({ id, reason, items, outdated }) => (
          <li key={id}>
            <Link to="/brains/$handle/changes/$id" params={{ handle, id }}>
              {reason ?? items.map(({ op, target }) => `${op} ${target.id}`).join(', ')}
            </Link>
            <span className="muted">
              {items.length === 1 ? '1 step' : `${items.length} steps`}
              {outdated && ', outdated'}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** The schema of a Brain. It changes by proposals, which a reviewer decides. */
export const SchemaPage = () => {
  const { handle } = route.useParams()
  const { kind: chosen } = route.useSearch()
  const { data, error } = useQuery(schemaQuery(useSession(), handle))
  const [steps, setSteps] = useState<SchemaOperation[]>([])
  if (error) return <FailureNotice error={error} />
  if (!data) return <Skeleton lines={10} />
  const { kinds, schemaVersion } = data.schema
  const kind = kinds.find((one) => one.kind === chosen) ?? kinds[0]
  const add = (step: SchemaOperation) => setSteps((before) => addStep(before, step))
  return (
    <section aria-label="Schema" className="schema">
      <div className="records-bar">
        <nav className="kind-tabs" aria-label="Kinds">
          {kinds.map((one) => (
            <Link
              key={one.kind}
              to="/brains/$handle/schema"
              params={{ handle }}
              search={{ kind: one.kind }}
              className="kind-tab"
              activeOptions={{ exact: true }}
              aria-current={one === kind ? 'page' : undefined}
            >
              {one.kind}
            </Link>
          ))}
        </nav>
        <div className="actions">
          <span className="muted small">Version {schemaVersion}</span>
          <NewKind onStep={add} />
        </div>
      </div>
      <Proposal handle={handle} baseVersion={schemaVersion} steps={steps} onChange={setSteps} />
      <Waiting handle={handle} />
      {kind ? (
        <KindPanel key={kind.kind} kind={kind} onStep={add} />
      ) : (
        <Empty title="No kinds declared yet">
          <p>Records of any kind are accepted. A schema declares their fields and lets you filter by them.</p>
        </Empty>
      )}
      <Emerged handle={handle} />
      <Lineage handle={handle} />
    </section>
  )
}
