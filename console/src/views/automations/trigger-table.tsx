import type { ListedTrigger } from '@noema/contracts/triggers.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { triggersQuery } from '../../data/automations.ts'
import { useAgentList, useBrainList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { LastRunCell, StandingCell } from './automation-state.tsx'

/** The kinds of a trigger, in one line. */
export const toScopes = ({ kindScopes }: ListedTrigger['trigger']): string =>
  kindScopes.length === 0
    ? 'everything'
    : kindScopes.map(({ entityKind }) => (entityKind === '@change.staged' ? 'staged changes' : entityKind)).join(', ')

type Names = { agents: ReadonlyMap<string, string> | undefined; brains: ReadonlyMap<string, string> }

/** The name of an agent: an unlisted one is archived. Empty until the list is loaded. */
export const nameAgent = (agents: Names['agents'], id: string): string =>
  agents ? (agents.get(id) ?? 'an archived agent') : ''

/** The names of Brains and agents by their ids, as far as they are loaded. */
export const useTriggerNames = (): Names => {
  const agents = useAgentList()
  const brains = useBrainList()
  return useMemo(
    () => ({
      agents: agents && new Map(agents.map(({ id, name }) => [id, name])),
      brains: new Map(brains?.map(({ id, handle }) => [id, handle])),
    }),
    [agents, brains],
  )
}

const toColumns = ({ agents, brains }: Names): readonly Column<ListedTrigger>[] => [
  {
    key: 'name',
    title: 'Name',
    cell: ({ trigger: { id, name } }) => (
      <Link to="/automations/triggers/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  {
    key: 'brain',
    title: 'Brain',
    width: 120,
    isWide: true,
    cell: ({ trigger }) => brains.get(trigger.knowledgeGraphId) ?? '',
  },
  { key: 'scopes', title: 'Kinds', width: 150, isWide: true, cell: ({ trigger }) => toScopes(trigger) },
  {
    key: 'agent',
    title: 'Agent',
    width: 150,
    isWide: true,
    cell: ({ trigger }) => nameAgent(agents, trigger.agentId),
  },
  {
    key: 'last',
    title: 'Last fired',
    width: 220,
    isWide: true,
    cell: ({ trigger: { id }, lastRunId, lastFiredAt }) => (
      <LastRunCell starter={{ triggerId: id }} lastRunId={lastRunId} lastFiredAt={lastFiredAt} />
    ),
  },
  {
    key: 'state',
    title: 'State',
    width: 150,
    cell: ({ trigger: { enabled }, paused }) => <StandingCell standing={{ enabled, paused }} />,
  },
]

/** The triggers. */
export const TriggerTable = ({ onNew }: { onNew: () => void }) => {
  const { data, error, refetch } = useQuery(triggersQuery(useSession()))
  const names = useTriggerNames()
  const columns = useMemo(() => toColumns(names), [names])
  return (
    <DataTable
      label="Triggers"
      columns={columns}
      rows={data}
      toId={({ trigger }) => trigger.id}
      error={error}
      onRetry={() => void refetch()}
      empty={
        <Empty
          title="No triggers yet"
          action={
            <Button icon="plus" onClick={onNew}>
              New trigger
            </Button>
          }
        >
          A trigger starts a run of an agent when a record, statement or document of a Brain changes, or a date is due.
        </Empty>
      }
    />
  )
}
