import type { Agent, AgentTool } from '@noema/contracts/agents.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CopyId } from '../../components/copy-id.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { connectorsQuery } from '../../data/connectors.ts'
import { useAgentList } from '../../data/use-names.ts'
import { toDuration } from '../../items/duration.ts'
import { plural } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const builtin = 'noema'

/** A model, with a link to its provider. */
const Model = ({ model }: { model: string }) => {
  const provider = model.split('/')[0] ?? ''
  return (
    <span className="line-main">
      <code>{model}</code>
      {provider === builtin ? (
        <span className="muted">
          It quotes and counts, and does not reason. For that, <Link to="/providers">connect a model</Link>.
        </span>
      ) : (
        <Link to="/providers" search={{ provider }}>
          its provider
        </Link>
      )}
    </span>
  )
}

const Brains = ({ brains }: { brains: Agent['brains'] }) => {
  if (brains.length === 0) return 'none'
  return brains.map(({ id, handle, access }) => (
    <span key={id} className="line-main">
      <Link to="/brains/$handle" params={{ handle }}>
        {handle}
      </Link>
      <span className="muted">{access === 'read_only' ? 'reads' : 'reads and writes'}</span>
    </span>
  ))
}

const Corpora = ({ corpora }: { corpora: readonly string[] }) =>
  corpora.map((corpus) => (
    <span key={corpus} className="line-main">
      <Link to="/settings/corpora" search={{ corpus }}>
        {corpus}
      </Link>
    </span>
  ))

const Skills = ({ skills }: { skills: NonNullable<Agent['skills']> }) =>
  skills.map(({ brain, name }) => (
    <span key={`${brain}/${name}`} className="line-main">
      <Link to="/brains/$handle/documents" params={{ handle: brain }} search={{ skill: name }}>
        {brain}/{name}
      </Link>
    </span>
  ))

type ToolProps = { tool: AgentTool; connectors: ReadonlyMap<string, string>; agents: ReadonlyMap<string, string> }

const builtinTools = {
  ...{ ask_human: 'asks people', artifact_read: 'reads files', artifact_write: 'writes files' },
  run_code: 'runs code',
}

/** A tool by its name, with a link to its source. */
const Tool = ({ tool, connectors, agents }: ToolProps) => {
  if (typeof tool === 'string') return <span className="line-main">{builtinTools[tool]}</span>
  if ('agent' in tool)
    return (
      <span className="line-main">
        <Link to="/agents/$id" params={{ id: tool.agent }}>
          {agents.get(tool.agent) ?? tool.agent}
        </Link>
        <span className="muted">agent</span>
      </span>
    )
  return (
    <span className="line-main">
      <Link to="/connectors" search={{ connector: tool.connector }}>
        {connectors.get(tool.connector) ?? tool.connector}
      </Link>
      <span className="muted">{tool.allow ? tool.allow.join(', ') : 'all tools'}</span>
    </span>
  )
}

const toKey = (tool: AgentTool): string =>
  typeof tool === 'string' ? tool : 'agent' in tool ? tool.agent : tool.connector

const Tools = ({ tools }: { tools: Agent['tools'] }) => {
  const { data } = useQuery(connectorsQuery(useSession()))
  const agents = new Map(useAgentList()?.map(({ id, name }) => [id, name]))
  const connectors = new Map(data?.map(({ id, name }) => [id, name]))
  if (tools.length === 0) return 'the tools of its Brains'
  return tools.map((tool) => <Tool key={toKey(tool)} {...{ tool, connectors, agents }} />)
}

const toLimits = ({ maxSteps, timeoutSeconds, maxCostCents }: Agent['limits']): string =>
  [
    plural(maxSteps, 'step'),
    toDuration(timeoutSeconds * 1_000),
    ...(maxCostCents === undefined ? [] : [`$${(maxCostCents / 100).toFixed(2)}`]),
  ].join(', ')

/** The configuration of an agent, with links to its parts. */
export const AgentFacts = ({
  agent: { model, tools, brains, corpora = [], skills = [], limits, id },
}: {
  agent: Agent
}) => {
  const items: (readonly [string, ReactNode])[] = [
    ['Model', <Model key="model" model={model} />],
    ['Brains', <Brains key="brains" brains={brains} />],
    ...(corpora.length > 0 ? [['Corpora', <Corpora key="corpora" corpora={corpora} />] as const] : []),
    ...(skills.length > 0 ? [['Skills', <Skills key="skills" skills={skills} />] as const] : []),
    ['Tools', <Tools key="tools" tools={tools} />],
    ['Limits', toLimits(limits)],
    ['Id', <CopyId key="id" id={id} />],
  ]
  return <KeyValues items={items} />
}
