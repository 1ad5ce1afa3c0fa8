import '../../styles/account.css'
import '../../styles/runs.css'
import '../../styles/set-up.css'
import type { Agent } from '@noema/contracts/agents.ts'
import type { Connector } from '@noema/contracts/connectors.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { connectorsQuery } from '../../data/connectors.ts'
import { useAgentList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { AgentTabs } from '../agents/agent-tabs.tsx'
import { ConnectorDrawer } from './connector-drawer.tsx'
import { ConnectorDialog } from './connector-form.tsx'
import { findAllowed } from './connector-users.ts'

const route = getRouteApi('/connectors')

const findUsers = (agents: readonly Agent[], id: string): Agent[] =>
  agents.filter((agent) => findAllowed(agent, id) !== undefined)

const toColumns = (agents: readonly Agent[] | undefined): readonly Column<Connector>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 180,
    cell: ({ id, name }) => (
      <Link to="/connectors" search={{ connector: id }}>
        {name}
      </Link>
    ),
  },
  { key: 'url', title: 'URL', isWide: true, cell: ({ url }) => <code>{url}</code> },
  {
    key: 'tools',
    title: 'Tools',
    width: 80,
    align: 'end',
    cell: ({ toolCount }) => toolCount ?? <span className="muted">?</span>,
  },
  {
    key: 'asked',
    title: 'Asked',
    width: 110,
    isWide: true,
    cell: ({ toolsAt }) => (toolsAt === null ? <span className="muted">never</span> : <Time iso={toolsAt} />),
  },
  {
    key: 'users',
    title: 'Agents',
    width: 80,
    align: 'end',
    isWide: true,
    cell: ({ id }) => agents && findUsers(agents, id).length,
  },
  {
    key: 'state',
    title: 'State',
    width: 120,
    cell: ({ problem }) =>
      problem ? <Status state="failing" label="unusable" /> : <Status state="ok" label="ready" />,
  },
]

/** Servers whose tools agents can use. */
export const Connectors = () => {
  const { data, error, refetch } = useQuery(connectorsQuery(useSession()))
  const agents = useAgentList()
  const columns = useMemo(() => toColumns(agents), [agents])
  const { connector: openId } = route.useSearch()
  const navigate = route.useNavigate()
  const [isAdding, setAdding] = useState(false)
  const open = (id: string | undefined) => void navigate({ search: { connector: id }, replace: true })
  const add = (
    <Button tone="primary" icon="plus" onClick={() => setAdding(true)}>
      Add a connector
    </Button>
  )
  return (
    <div className="page stack">
      <PageHeader
        title="Connectors"
        lead="MCP servers that provide tools for agents. Agents treat every tool result as data, not as instructions."
        actions={add}
      />
      <AgentTabs />
      <DataTable
        label="Connectors"
        columns={columns}
        rows={data}
        toId={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty title="No connectors yet">
            A connector lets agents search tickets, read calendars or call any other tool of its server.
          </Empty>
        }
      />
      <ConnectorDrawer
        connector={data?.find(({ id }) => id === openId)}
        users={agents && openId ? findUsers(agents, openId) : undefined}
        onClose={() => open(undefined)}
      />
      {isAdding && (
        <ConnectorDialog
          onClose={() => setAdding(false)}
          onSaved={(id) => {
            setAdding(false)
            open(id)
          }}
        />
      )}
    </div>
  )
}
