import type { AgentVersion } from '@noema/contracts/agents.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FieldDiff } from '../../components/field-diff.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { versionsQuery } from '../../data/agents.ts'
import { ActorName } from '../../items/actor-name.tsx'
import { useSession } from '../../session/session.tsx'

const toFields = ({ name, model, instructions, tools, brains, outputSchema, limits }: AgentVersion) => ({
  ...{ name, model, instructions, tools, limits, outputSchema },
  brains: brains.map(({ handle, access }) => `${handle}: ${access}`).join(', '),
})

type LineProps = { version: AgentVersion; before: AgentVersion | undefined; isOpen: boolean; onToggle: () => void }

const Line = ({ version, before, isOpen, onToggle }: LineProps) => (
  <li>
    <div className="version-head">
      <span className="line-main">
        <strong>Version {version.version}</strong>
        <span className="muted">
          <Time iso={version.createdAt} /> by <ActorName actor={version.createdBy} />
        </span>
      </span>
      <Button size="small" tone="quiet" onClick={onToggle} aria-expanded={isOpen}>
        {isOpen ? 'Hide' : before ? 'What changed' : 'Show'}
      </Button>
    </div>
    {isOpen && <FieldDiff before={before && toFields(before)} after={toFields(version)} />}
  </li>
)

/** The versions of an agent, each compared with the one before. */
export const Versions = ({ id }: { id: string }) => {
  const [open, setOpen] = useState<number>()
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    versionsQuery(useSession(), id),
  )
  const versions = data?.pages.flatMap((page) => page.versions)
  return (
    <Panel title="Versions">
      <FailureNotice error={error} />
      {!versions && !error && <Skeleton lines={3} />}
      <ul className="lines versions">
        {versions?.map((version, index) => (
          <Line
            key={version.version}
            version={version}
            before={versions[index + 1]}
            isOpen={open === version.version}
            onToggle={() => setOpen(open === version.version ? undefined : version.version)}
          />
        ))}
      </ul>
      {hasNextPage && (
        <Button size="small" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Older versions
        </Button>
      )}
    </Panel>
  )
}
