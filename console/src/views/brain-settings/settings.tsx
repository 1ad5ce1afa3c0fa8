import '../../styles/brain-admin.css'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { KeyValues } from '../../components/key-values.tsx'
import { later } from '../../components/later.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { brainQuery } from '../../data/brains.ts'
import { plural, toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { Delete } from './delete.tsx'
import { Description } from './description.tsx'
import { ExportPanel } from './export-panel.tsx'
import { HoldPanel } from './hold-panel.tsx'
import { ImportPanel } from './import-panel.tsx'
import { WritingRules } from './writing-rules.tsx'

const AccessPanel = later(async () => (await import('./access-panel.tsx')).AccessPanel)

const route = getRouteApi('/brains/$handle/settings')

/** The time that the index needs, as far as the service knows it. */
const toRemaining = (seconds: number | null): string => {
  if (seconds === null) return ''
  return seconds < 90 ? `, about ${seconds} s` : `, about ${toAmount(Math.round(seconds / 60))} min`
}

type IndexingProps = { pendingEvents: number; pendingPassages: number; secondsLeft: number | null }

const Indexing = ({ pendingEvents, pendingPassages, secondsLeft }: IndexingProps) => (
  <Panel title="Search index" description="follows the stream automatically">
    <KeyValues
      items={[
        [
          'Keyword search',
          pendingEvents === 0
            ? 'up to date'
            : `${plural(pendingEvents, 'event')} pending; their content is found anyway`,
        ],
        [
          'Semantic search',
          pendingPassages === 0
            ? 'up to date'
            : `${plural(pendingPassages, 'passage')} pending${toRemaining(secondsLeft)}`,
        ],
      ]}
    />
  </Panel>
)

/** The settings of a Brain: name and purpose, access, writing rules, hold, export, import and deletion. */
export const BrainSettings = () => {
  const { handle } = route.useParams()
  const { data } = useQuery({ ...brainQuery(useSession(), handle), refetchInterval: 10_000 })
  if (!data) return <Skeleton lines={8} />
  const { brain } = data
  return (
    <section aria-label="Settings">
      <div className="columns">
        <div className="stack">
          <Description brain={brain} />
          <AccessPanel handle={handle} />
          <HoldPanel brain={brain} />
          <ExportPanel brain={brain} />
          <ImportPanel brain={brain} />
        </div>
        <div className="stack">
          <WritingRules brain={brain} />
          <Indexing {...brain.indexing} />
          <Delete brain={brain} />
        </div>
      </div>
    </section>
  )
}
