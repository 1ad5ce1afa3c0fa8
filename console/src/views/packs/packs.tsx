import '../../styles/account.css'
import '../../styles/packs.css'
import type { AuditEntry } from '@noema/contracts/audit.ts'
import type { Pack } from '@noema/contracts/packs.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { installsQuery, packsQuery } from '../../data/packs.ts'
import { useSession } from '../../session/session.tsx'
import { AgentTabs } from '../agents/agent-tabs.tsx'
import { InstallDialog } from './install-dialog.tsx'
import { fillIn } from './parameter-inputs.tsx'

const accessNames = { none: 'no access', read_only: 'reads', read_write: 'reads and writes' }

type PartProps = { title: string; items: readonly { name: string; detail: ReactNode; badge?: string }[] }

const Part = ({ title, items }: PartProps) =>
  items.length > 0 && (
    <div className="pack-part">
      <h3>{title}</h3>
      <ul>
        {items.map(({ name, detail, badge }) => (
          <li key={name}>
            <span className="named-cell">
              <strong>{name}</strong>
              {badge && <Badge>{badge}</Badge>}
            </span>
            <span className="muted">{detail}</span>
          </li>
        ))}
      </ul>
    </div>
  )

const toSample = ({ records, statements, documents }: Pack['sample']): string =>
  (
    [
      [records, 'records'],
      [statements, 'statements'],
      [documents, 'documents'],
    ] as const
  )
    .flatMap(([count, name]) => (count === 0 ? [] : `${count} ${count === 1 ? name.slice(0, -1) : name}`))
    .join(', ')

type InstallsProps = { entries: readonly AuditEntry[] | undefined; isRefused: boolean }

/** The latest install of a pack on each Brain, from the audit log. */
const Installs = ({ entries, isRefused }: InstallsProps) => {
  if (isRefused) return <p className="muted">Owners and admins can see where it is installed.</p>
  if (!entries) return null
  const newest = new Map(entries.toReversed().map((entry) => [entry.target.brain ?? '', entry]))
  if (newest.size === 0) return <p className="muted">Not installed yet.</p>
  return (
    <p>
      Installed on{' '}
      {[...newest].map(([handle, { at }], index) => (
        <span key={handle}>
          {index > 0 && ', '}
          <Link to="/brains/$handle" params={{ handle }}>
            {handle}
          </Link>{' '}
          <span className="muted">
            (<Time iso={at} />)
          </span>
        </span>
      ))}
    </p>
  )
}

type PackPanelProps = InstallsProps & { pack: Pack; onInstall: () => void }

const PackPanel = ({ pack, onInstall, ...installs }: PackPanelProps) => {
  const fill = (text: string) => fillIn(text, pack.parameters)
  const title = fill(pack.title)
  return (
    <Panel
      title={title}
      description={
        <>
          <code>{pack.name}</code>
          {pack.isOwn && `, version ${pack.version} of this organization`}
        </>
      }
      actions={
        <Button size="small" icon="download" onClick={onInstall}>
          Install {title}
        </Button>
      }
    >
      <p>{fill(pack.description)}</p>
      <Installs {...installs} />
      <div className="pack-parts">
        <Part
          title="Agents"
          items={pack.agents.map(({ name, description, access }) => ({
            ...{ name: fill(name), detail: fill(description), badge: accessNames[access] },
          }))}
        />
        <Part
          title="Triggers"
          items={pack.triggers.map(({ name, agent, expectedOutcome }) => ({
            ...{ name: fill(name), detail: fill(`Starts ${agent}. ${expectedOutcome}`) },
          }))}
        />
        <Part
          title="Kinds"
          items={pack.kinds.map(({ kind, description }) => ({ name: kind, detail: fill(description) }))}
        />
        <Part title="Skills" items={pack.skills.map((name) => ({ name: fill(name), detail: '' }))} />
        <Part title="Rubrics" items={pack.rubrics.map((name) => ({ name: fill(name), detail: '' }))} />
        <Part title="Evals" items={pack.evals.map((name) => ({ name: fill(name), detail: '' }))} />
        {toSample(pack.sample) !== '' && (
          <div className="pack-part">
            <h3>Sample content</h3>
            <p className="muted">{toSample(pack.sample)}</p>
          </div>
        )}
      </div>
    </Panel>
  )
}

const isForbidden = (error: unknown): boolean => error instanceof Error && 'status' in error && error.status === 403

/** The packs of the service and of the organization: kinds, agents, triggers and sample content that belong together. */
export const Packs = () => {
  const session = useSession()
  const { data, error, refetch } = useQuery(packsQuery(session))
  const installs = useQuery(installsQuery(session))
  const [installing, setInstalling] = useState<Pack>()
  return (
    <div className="page stack">
      <PageHeader
        title="Packs"
        lead="Agents, triggers, kinds, evals and sample content that belong together. Edit or delete the installed items on their own pages. Another install restores missing items."
      />
      <AgentTabs />
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!isForbidden(installs.error) && <FailureNotice error={installs.error} />}
      {!data && !error && <Skeleton height={320} />}
      {data?.length === 0 && <Empty title="This service has no packs" />}
      {data?.map((pack) => (
        <PackPanel
          key={pack.name}
          pack={pack}
          entries={installs.data?.filter(({ target }) => target.id === pack.name)}
          isRefused={isForbidden(installs.error)}
          onInstall={() => setInstalling(pack)}
        />
      ))}
      {installing && <InstallDialog pack={installing} onClose={() => setInstalling(undefined)} />}
    </div>
  )
}
