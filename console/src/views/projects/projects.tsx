import '../../styles/automations.css'
import '../../styles/set-up.css'
import type { Agent } from '@noema/contracts/agents.ts'
import type { Project } from '@noema/contracts/projects.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button, IconButton } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Empty } from '../../components/empty.tsx'
import { Menu } from '../../components/menu.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { allProjectsQuery } from '../../data/projects.ts'
import { useAgentList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { AgentTabs } from '../agents/agent-tabs.tsx'
import { ArchiveProject, ProjectDialog } from './project-acts.tsx'

const route = getRouteApi('/projects')

type Act = { name: 'rename' | 'archive'; project: Project }

const ProjectMenu = ({ project, onAct }: { project: Project; onAct: (act: Act) => void }) => (
  <Menu
    trigger={<IconButton icon="more" label={`Actions for ${project.name}`} />}
    items={[
      { name: 'Rename', icon: 'edit', onSelect: () => onAct({ name: 'rename', project }) },
      {
        name: 'Archive…',
        icon: 'trash',
        tone: 'danger',
        onSelect: () => onAct({ name: 'archive', project }),
        why: project.isDefault ? 'Agents without a project belong to it' : undefined,
      },
    ]}
  />
)

const AgentLinks = ({ agents }: { agents: readonly Agent[] }) =>
  agents.map(({ id, name }, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <Link to="/agents/$id" params={{ id }}>
        {name}
      </Link>
    </span>
  ))

const toColumns = (agents: readonly Agent[] | undefined, onAct: (act: Act) => void): readonly Column<Project>[] => [
  {
    key: 'name',
    title: 'Project',
    width: 240,
    sort: ({ name }) => name,
    cell: ({ name, isDefault, archivedAt }) => (
      <span className="named-cell">
        <strong title={name}>{name}</strong>
        {isDefault && <Badge>default</Badge>}
        {archivedAt !== null && <Badge tone="warning">archived</Badge>}
      </span>
    ),
  },
  {
    key: 'agents',
    title: 'Agents',
    isWide: true,
    cell: ({ id }) => agents && <AgentLinks agents={agents.filter(({ projectId }) => projectId === id)} />,
  },
  {
    key: 'runs',
    title: 'Runs',
    width: 90,
    cell: ({ id, name }) => (
      <Link to="/runs" search={{ project: id }} aria-label={`Runs of ${name}`}>
        Runs
      </Link>
    ),
  },
  {
    key: 'made',
    title: 'Created',
    width: 112,
    isWide: true,
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time iso={createdAt} />,
  },
  {
    key: 'acts',
    title: '',
    width: 44,
    align: 'end',
    cell: (project) => project.archivedAt === null && <ProjectMenu project={project} onAct={onAct} />,
  },
]

const search: TableSearch<Project> = {
  label: 'Search projects',
  what: ['project', 'projects'],
  toText: ({ name, id }) => `${name} ${id}`,
}

/** The projects of the organization, with the agents and runs of each. */
export const Projects = () => {
  const { archived } = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error, refetch } = useQuery(allProjectsQuery(useSession()))
  const agents = useAgentList()
  const [isMaking, setMaking] = useState(false)
  const [act, setAct] = useState<Act>()
  const rows = useMemo(() => data?.filter(({ archivedAt }) => archived || archivedAt === null), [data, archived])
  const columns = useMemo(() => toColumns(agents, setAct), [agents])
  const close = () => {
    setMaking(false)
    setAct(undefined)
  }
  return (
    <div className="page stack">
      <PageHeader
        title="Projects"
        lead="Projects group agents and their runs. What names no project belongs to the default one."
        actions={
          <>
            <Checkbox
              label="Archived"
              checked={archived === true}
              onChange={(isOn) => void navigate({ search: { archived: isOn || undefined }, replace: true })}
            />
            <Button tone="primary" icon="plus" onClick={() => setMaking(true)}>
              New project
            </Button>
          </>
        }
      />
      <AgentTabs />
      <DataTable
        label="Projects"
        columns={columns}
        rows={rows}
        search={search}
        toId={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={<Empty title="No projects" />}
      />
      {(isMaking || act?.name === 'rename') && <ProjectDialog project={act?.project} onClose={close} />}
      {act?.name === 'archive' && <ArchiveProject project={act.project} onClose={close} />}
    </div>
  )
}
