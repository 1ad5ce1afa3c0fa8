import { toTablePages } from '../../data/paging.ts'
import '../../styles/automations.css'
import '../../styles/runs.css'
import '../../styles/set-up.css'
import type { Agent } from '@noema/contracts/agents.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Empty } from '../../components/empty.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { agentsQuery } from '../../data/agents.ts'
import { useSession } from '../../session/session.tsx'
import { AgentDialog } from './agent-dialog.tsx'
import { AgentTabs } from './agent-tabs.tsx'

const route = getRouteApi('/agents')

const columns: readonly Column<Agent>[] = [
  {
    key: 'name',
    title: 'Name',
    sort: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link to="/agents/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    key: 'model',
    title: 'Model',
    width: 220,
    isWide: true,
    sort: ({ model }) => model,
    cell: ({ model }) => <code>{model}</code>,
  },
  { key: 'brains', title: 'Brains', isWide: true, cell: ({ brains }) => brains.map(({ handle }) => handle).join(', ') },
  {
    key: 'version',
    title: 'Version',
    width: 90,
    align: 'end',
    sort: ({ version }) => version,
    cell: ({ version }) => version,
  },
  {
    key: 'changed',
    title: 'Changed',
    width: 120,
    sort: ({ updatedAt }) => updatedAt,
    cell: ({ updatedAt }) => <Time iso={updatedAt} />,
  },
]

const search: TableSearch<Agent> = {
  label: 'Search agents',
  what: ['agent', 'agents'],
  toText: ({ name, model, instructions, brains }) =>
    [name, model, instructions, ...brains.map(({ handle }) => handle)].join(' '),
}

/** The organization's agents. */
export const Agents = () => {
  const { archived } = route.useSearch()
  const navigate = route.useNavigate()
  const [isMaking, setMaking] = useState(false)
  const query = useInfiniteQuery(agentsQuery(useSession(), archived ? 'true' : 'false'))
  return (
    <div className="page stack">
      <PageHeader
        title="Agents"
        actions={
          <>
            <Checkbox
              label="Archived"
              checked={archived === true}
              onChange={(isOn) => void navigate({ search: { archived: isOn || undefined }, replace: true })}
            />
            <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
              New agent
            </Button>
          </>
        }
      />
      <AgentTabs />
      <DataTable
        label="Agents"
        columns={columns}
        search={search}
        rows={query.data?.pages.flatMap((page) => page.agents)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={
          <Empty title={archived ? 'No archived agents' : 'No agents yet'}>
            An agent answers from Brains, with instructions and a language model. noema/extractive needs no key.
          </Empty>
        }
      />
      {isMaking && <AgentDialog onClose={() => setMaking(false)} />}
    </div>
  )
}
