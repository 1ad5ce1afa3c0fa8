import type { SchemaDifference } from '@noema/contracts/schema.ts'
import { useQuery } from '@tanstack/react-query'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { lineageQuery } from '../../data/schema.ts'
import { useSession } from '../../session/session.tsx'

const parts = ['added', 'changed', 'removed'] as const

const Difference = ({ title, difference }: { title: string; difference: SchemaDifference }) => {
  const isNone = parts.every((part) => difference[part].length === 0)
  return (
    <li>
      <span>{title}</span>
      <span className="muted">
        {isNone
          ? 'nothing'
          : parts
              .filter((part) => difference[part].length > 0)
              .map((part) => `${part} ${difference[part].join(', ')}`)
              .join('; ')}
      </span>
    </li>
  )
}

/** The relation of the schema to the organization schema that it was forked from. */
export const Lineage = ({ handle }: { handle: string }) => {
  const { data, error } = useQuery(lineageQuery(useSession(), handle))
  if (error) return <FailureNotice error={error} />
  if (!data || data.lineage.forkedFrom === null) return null
  const { forkedFrom, baseline, local, upstream } = data.lineage
  return (
    <Panel
      title="Lineage"
      description={`Forked from the organization schema ${forkedFrom.schema}, version ${forkedFrom.version}. ${
        baseline.moved ? `It is at version ${baseline.currentVersion} now.` : 'It has not changed since.'
      }`}
      isFlush
    >
      <ul className="panel-list">
        <Difference title="Changed here" difference={local} />
        <Difference title="Changed in the organization schema" difference={upstream} />
      </ul>
    </Panel>
  )
}
