import type { Agent, AgentTool } from '@noema/contracts/agents.ts'
import type { Connector } from '@noema/contracts/connectors.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Checkbox } from '../../components/choices.tsx'
import { Select, TextInput } from '../../components/field.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { connectorQuery, connectorsQuery } from '../../data/connectors.ts'
import { useAgentList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'

type Tools = readonly AgentTool[]
type ConnectorTool = Extract<AgentTool, { connector: string }>

const isFromConnector =
  (id: string) =>
  (tool: AgentTool): tool is ConnectorTool =>
    typeof tool === 'object' && 'connector' in tool && tool.connector === id

const isFromAgent = (id: string) => (tool: AgentTool) =>
  typeof tool === 'object' && 'agent' in tool && tool.agent === id

const reaches = [
  { value: 'none', name: 'no tools' },
  { value: 'all', name: 'all tools' },
  { value: 'some', name: 'only some' },
] as const

const splitNames = (text: string): string[] => text.split(/[\s,]+/).filter((name) => name !== '')

type AllowProps = { connector: Connector; allow: readonly string[]; onChange: (allow: string[]) => void }

/** The allow list: a checkbox for each tool that the server offers, or a text input while its tools are unknown. */
const AllowList = ({ connector: { id, name }, allow, onChange }: AllowProps) => {
  const { data } = useQuery(connectorQuery(useSession(), id))
  const offered = data?.tools?.map((tool) => tool.name) ?? []
  // A tool that is no longer offered stays listed until it is removed.
  const listed = [...new Set([...offered, ...allow])]
  if (data && offered.length === 0)
    return (
      <TextInput
        label={`Tools of ${name}`}
        isMono
        hint="Names separated by commas. The tools of this server are not loaded yet."
        defaultValue={allow.join(', ')}
        onChange={({ target }) => onChange(splitNames(target.value))}
      />
    )
  return (
    <div className="kind-choices">
      {listed.map((tool) => (
        <Checkbox
          key={tool}
          label={<code>{tool}</code>}
          checked={allow.includes(tool)}
          onChange={(isOn) => onChange(isOn ? [...allow, tool] : allow.filter((other) => other !== tool))}
        />
      ))}
    </div>
  )
}

type ChoicesProps = { tools: Tools; onChange: (tools: Tools) => void }
type ConnectorChoiceProps = ChoicesProps & { connector: Connector }

const ConnectorChoice = ({ connector, tools, onChange }: ConnectorChoiceProps) => {
  const { id, name } = connector
  const given = tools.find(isFromConnector(id))
  const others = tools.filter((tool) => !isFromConnector(id)(tool))
  const reach = given === undefined ? 'none' : given.allow === undefined ? 'all' : 'some'
  const choose = (chosen: (typeof reaches)[number]['value']) => {
    if (chosen === 'none') onChange(others)
    else onChange([...others, { connector: id, ...(chosen === 'some' && { allow: given?.allow ?? [] }) }])
  }
  return (
    <>
      <Select label={name} options={reaches} value={reach} onChange={choose} />
      {given?.allow && (
        <AllowList
          connector={connector}
          allow={given.allow}
          onChange={(allow) => onChange([...others, { connector: id, allow }])}
        />
      )}
    </>
  )
}

const builtin = [
  { tool: 'ask_human', label: 'Can ask a person (ask_human)' },
  { tool: 'artifact_read', label: 'Can read files (artifact_read)' },
  { tool: 'artifact_write', label: 'Can write files in the folder of its run (artifact_write)' },
] as const

/** The tools of an agent in addition to its Brains: people, connectors with their allow lists, and other agents. */
export const ToolChoices = ({ self, tools, onChange }: ChoicesProps & { self: Agent | undefined }) => {
  const { data: connectors } = useQuery(connectorsQuery(useSession()))
  const agents = useAgentList()?.filter(({ id }) => id !== self?.id)
  const toggle = (tool: AgentTool, isSame: (tool: AgentTool) => boolean, isOn: boolean) =>
    onChange(isOn ? [...tools, tool] : tools.filter((other) => !isSame(other)))
  return (
    <fieldset className="tool-choices">
      <legend>Tools</legend>
      {builtin.map(({ tool, label }) => (
        <Checkbox
          key={tool}
          label={label}
          checked={tools.includes(tool)}
          onChange={(isOn) => toggle(tool, (other) => other === tool, isOn)}
        />
      ))}
      {connectors?.map((connector) => (
        <ConnectorChoice key={connector.id} connector={connector} tools={tools} onChange={onChange} />
      ))}
      {connectors?.length === 0 && (
        <p className="hint">
          Add tools of other systems with <Link to="/connectors">connectors</Link>.
        </p>
      )}
      {agents && agents.length > 0 && (
        <details open={tools.some((tool) => typeof tool === 'object' && 'agent' in tool)}>
          <summary>Other agents that it can ask</summary>
          <div className="kind-choices">
            {agents.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={name}
                checked={tools.some(isFromAgent(id))}
                onChange={(isOn) => toggle({ agent: id }, isFromAgent(id), isOn)}
              />
            ))}
          </div>
        </details>
      )}
    </fieldset>
  )
}

/** Refuses an allow list that allows nothing. */
export const checkTools = (tools: Tools): void => {
  if (tools.some((tool) => typeof tool === 'object' && 'connector' in tool && tool.allow?.length === 0))
    throw new FieldProblem('tools', 'Select the tools of the connector that the agent can use, or all, or none.')
}
