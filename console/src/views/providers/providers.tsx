import '../../styles/account.css'
import '../../styles/set-up.css'
import type { Agent } from '@noema/contracts/agents.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Badge, Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { providersQuery } from '../../data/providers.ts'
import { useAgentList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { AgentTabs } from '../agents/agent-tabs.tsx'
import { ProviderDrawer } from './provider-drawer.tsx'
import { ProviderDialog } from './provider-form.tsx'
import { findUsers, kindNames, type ListedProvider, usualAddresses } from './provider-words.ts'

const route = getRouteApi('/providers')

const toColumns = (agents: readonly Agent[] | undefined): readonly Column<ListedProvider>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 200,
    cell: ({ name, own }) => (
      <span className="named-cell">
        <Link to="/providers" search={{ provider: name }}>
          {name}
        </Link>
        {!own && <Badge>shared</Badge>}
      </span>
    ),
  },
  { key: 'kind', title: 'API', width: 160, isWide: true, cell: ({ kind }) => kindNames[kind] },
  {
    key: 'address',
    title: 'Base URL',
    isWide: true,
    cell: ({ kind, own }) => <code>{own?.baseUrl ?? usualAddresses[kind]}</code>,
  },
  {
    key: 'users',
    title: 'Agents',
    width: 80,
    align: 'end',
    cell: ({ name }) => agents && findUsers(agents, name).length,
  },
  {
    key: 'changed',
    title: 'Set',
    width: 110,
    isWide: true,
    cell: ({ own }) => own && <Time iso={own.updatedAt} />,
  },
  {
    key: 'state',
    title: 'State',
    width: 120,
    cell: ({ own }) =>
      own?.problem ? <Status state="failing" label="unusable" /> : <Status state="ok" label="ready" />,
  },
]

/** The organization's own by name; a shared one of the same name is hidden by it. */
const useProviders = () => {
  const query = useQuery(providersQuery(useSession()))
  const rows = useMemo(() => {
    if (!query.data) return undefined
    const { providers, shared } = query.data
    const own: ListedProvider[] = providers.map((one) => ({ name: one.name, kind: one.kind, own: one }))
    const others = shared.filter(({ name }) => !own.some((one) => one.name === name))
    return [...own, ...others.map(({ name, kind }) => ({ name, kind, own: undefined }))]
  }, [query.data])
  return { ...query, rows }
}

/** The providers of language models. */
export const Providers = () => {
  const { rows, error, refetch } = useProviders()
  const agents = useAgentList()
  const { provider: openName } = route.useSearch()
  const navigate = route.useNavigate()
  const columns = useMemo(() => toColumns(agents), [agents])
  const [isAdding, setAdding] = useState(false)
  const open = (name: string | undefined) => void navigate({ search: { provider: name }, replace: true })
  return (
    <div className="page stack">
      <PageHeader
        title="Providers"
        lead="The services that run language models. noema/extractive is built in: it needs no provider, and no data leaves the service."
        actions={
          <Button tone="primary" icon="plus" onClick={() => setAdding(true)}>
            Add a provider
          </Button>
        }
      />
      <AgentTabs />
      <DataTable
        label="Providers"
        columns={columns}
        rows={rows}
        toId={({ name }) => name}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <Empty
            title="No providers yet"
            action={
              <Button icon="plus" onClick={() => setAdding(true)}>
                Add a provider
              </Button>
            }
          >
            With your key, agents can use the models of OpenAI, Anthropic, Google, or any server with chat completions.
          </Empty>
        }
      />
      <ProviderDrawer
        provider={rows?.find(({ name }) => name === openName)}
        users={agents && openName ? findUsers(agents, openName) : undefined}
        onClose={() => open(undefined)}
      />
      {isAdding && (
        <ProviderDialog
          onClose={() => setAdding(false)}
          onSaved={(name) => {
            setAdding(false)
            open(name)
          }}
        />
      )}
    </div>
  )
}
