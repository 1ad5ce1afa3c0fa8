import type { ServiceHealth } from '@noema/contracts/service-health.ts'
import { toSize } from '@noema/contracts/sizes.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge, Status } from '../../components/badge.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Stat } from '../../components/stat.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { healthQuery } from '../../data/admin.ts'
import { listFindings } from '../../data/health-findings.ts'
import { toSpan } from '../../data/spans.ts'
import { plural, toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'
import { AdminPage } from './admin-page.tsx'

type Node = ServiceHealth['nodes'][number]
type Worker = Node['workers'][number]
type Queue = ServiceHealth['queues'][number]

const Findings = ({ health }: { health: ServiceHealth }) => {
  const findings = listFindings(health)
  return (
    <Panel
      title="Findings"
      description={findings.length === 0 ? undefined : 'Problems, most severe first.'}
      actions={
        <span className="muted">
          Checked <Time iso={health.at} />
        </span>
      }
      isFlush
    >
      {findings.length === 0 ? (
        <p className="admin-pad">
          <Status state="ok" label="Everything works: all workers succeed, and nothing waits for long." />
        </p>
      ) : (
        <ul className="findings">
          {findings.map(({ tone, title, advice }) => (
            <li key={title} className="finding">
              <Status state={tone} tone={tone} label={tone === 'danger' ? 'broken' : 'look'} />
              <p>
                <strong>{title}</strong>
              </p>
              <p className="muted">{advice}</p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

const toEmbeddingHint = (isCounted: boolean, formerBrains: number): string => {
  if (!isCounted) return 'or not counted'
  return formerBrains > 0
    ? `passages; ${plural(formerBrains, 'Brain still uses', 'Brains still use')} the former model`
    : 'passages'
}

const Figures = ({ health: { at, nodes, queues, lags, vectors, backups, database } }: { health: ServiceHealth }) => {
  const due = queues.reduce((sum, queue) => sum + queue.due, 0)
  const living = nodes.filter(({ alive }) => alive).length
  const [backup] = backups.last
  return (
    <div className="stats">
      <Stat
        label="Live nodes"
        value={living}
        hint={nodes.length > living ? `${nodes.length - living} silent` : undefined}
      />
      <Stat label="Due in queues" value={due} />
      <Stat
        label="Search index lag"
        value={lags.index === null ? 'not counted' : lags.index.behind}
        hint={lags.index && lags.index.brains > 0 ? `events, in ${plural(lags.index.brains, 'Brain')}` : 'events'}
      />
      <Stat
        label="Embedding lag"
        value={lags.embedding === null ? 'off' : lags.embedding.behind}
        hint={toEmbeddingHint(lags.embedding !== null, vectors?.formerBrains ?? 0)}
      />
      <Stat
        label="Database"
        value={toSize(database.bytes)}
        hint={`${database.connections} of ${database.maxConnections} connections`}
      />
      <Stat
        label="Oldest transaction"
        value={database.oldestTransactionSeconds === null ? 'none' : toSpan(database.oldestTransactionSeconds)}
      />
      <Stat
        label="Last backup"
        value={backup ? toSpan(Math.max(0, (Date.parse(at) - Date.parse(backup.madeAt)) / 1_000)) : 'none by Noema'}
        hint={backup && `ago, ${toSize(backup.bytes)}`}
      />
    </div>
  )
}

const workerColumns: readonly Column<Worker>[] = [
  { key: 'name', title: 'Worker', cell: ({ name }) => name },
  {
    key: 'success',
    title: 'Last success',
    width: 120,
    isWide: true,
    cell: ({ lastSuccess }) => (lastSuccess ? <Time iso={lastSuccess} /> : <span className="muted">not yet</span>),
  },
  {
    key: 'turns',
    title: 'Turns',
    width: 150,
    isWide: true,
    cell: ({ turns }) => turns && `${turns.running} running, ${turns.pending} next`,
  },
  {
    key: 'lag',
    title: 'Lag',
    width: 80,
    align: 'end',
    isWide: true,
    cell: ({ turns }) => turns && toSpan(turns.lagSeconds),
  },
  {
    key: 'state',
    title: 'State',
    width: 150,
    cell: ({ consecutiveFailures, lastError }) =>
      consecutiveFailures === 0 ? (
        <Status state="ok" />
      ) : (
        <Status state="failing" label={`${consecutiveFailures} failures${lastError ? `: ${lastError}` : ''}`} />
      ),
  },
]

const nodeColumns: readonly Column<Node>[] = [
  { key: 'id', title: 'Node', cell: ({ id }) => <code>{id.slice(0, 8)}</code> },
  {
    key: 'roles',
    title: 'Roles',
    width: 140,
    isWide: true,
    cell: ({ roles }) => (
      <span className="admin-badges">
        {roles.map((role) => (
          <Badge key={role}>{role}</Badge>
        ))}
      </span>
    ),
  },
  { key: 'version', title: 'Version', width: 100, isWide: true, cell: ({ version }) => version },
  {
    key: 'disk',
    title: 'Disk free',
    width: 160,
    isWide: true,
    cell: ({ disk }) => disk && `${toSize(disk.freeBytes)} of ${toSize(disk.totalBytes)}`,
  },
  { key: 'started', title: 'Started', width: 110, isWide: true, cell: ({ startedAt }) => <Time iso={startedAt} /> },
  {
    key: 'state',
    title: 'State',
    width: 90,
    cell: ({ alive }) => <Status state={alive ? 'live' : 'silent'} tone={alive ? 'good' : 'danger'} />,
  },
]

const Nodes = ({ nodes }: { nodes: readonly Node[] }) => {
  const [open, setOpen] = useState<string>()
  return (
    <Panel title="Nodes" description="Open one for its workers." isFlush>
      <DataTable
        label="Nodes"
        columns={nodeColumns}
        rows={nodes}
        toId={({ id }) => id}
        height={1600}
        openId={open}
        onOpen={({ id }) => setOpen(id === open ? undefined : id)}
        renderOpen={({ id, workers }) => (
          <DataTable
            label={`Workers of ${id.slice(0, 8)}`}
            columns={workerColumns}
            rows={workers}
            toId={({ name }) => name}
            height={1400}
            empty={<p className="muted">None: this node only handles requests.</p>}
          />
        )}
        empty={<p className="muted admin-pad">No node has reported yet. Each node reports within ten seconds.</p>}
      />
    </Panel>
  )
}

const toQueueColumns = (at: string): readonly Column<Queue>[] => [
  { key: 'name', title: 'Queue', cell: ({ name }) => name },
  {
    key: 'due',
    title: 'Due',
    width: 90,
    align: 'end',
    cell: ({ due }) => (due >= 10_000 ? '10,000 or more' : toAmount(due)),
  },
  {
    key: 'age',
    title: 'Oldest',
    width: 90,
    align: 'end',
    cell: ({ oldestDueAt }) =>
      oldestDueAt === null ? '' : toSpan(Math.max(0, (Date.parse(at) - Date.parse(oldestDueAt)) / 1000)),
  },
]

const versionColumns: readonly Column<readonly [string, string]>[] = [
  { key: 'name', title: 'Part', cell: ([name]) => name },
  { key: 'version', title: 'Version', width: 220, align: 'end', cell: ([, version]) => version },
]

const Versions = ({ versions }: { versions: ServiceHealth['versions'] }) => (
  <Panel title="Versions" isFlush>
    <DataTable
      label="Versions"
      columns={versionColumns}
      rows={[
        ['Noema', versions.service],
        ['Node.js', versions.node],
        ['PostgreSQL', versions.postgresql],
        ['Schema of the database', `${versions.schema.applied} of ${versions.schema.known}`],
      ]}
      toId={([name]) => name}
      empty={null}
    />
  </Panel>
)

const HealthParts = () => {
  const { data, error, refetch } = useQuery(healthQuery(useSession()))
  if (error && !data) return <FailureNotice error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton height={420} />
  return (
    <>
      <FailureNotice error={error} />
      <Findings health={data} />
      <Figures health={data} />
      <div className="columns">
        <Panel title="Queues" description="Due jobs, and how long the oldest has waited." isFlush>
          <DataTable
            label="Queues"
            columns={toQueueColumns(data.at)}
            rows={data.queues}
            toId={({ name }) => name}
            height={1400}
            empty={null}
          />
        </Panel>
        <Versions versions={data.versions} />
      </div>
      <Nodes nodes={data.nodes} />
    </>
  )
}

/** The health of the service, refreshed while the page is visible. */
export const Health = () => (
  <AdminPage title="Service health" lead="Refreshes every five seconds.">
    <HealthParts />
  </AdminPage>
)
