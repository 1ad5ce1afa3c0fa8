import type { ConnectorTest, ConnectorTool } from '@noema/contracts/connectors.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Json } from '../../components/json.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { useAction } from '../../components/use-action.ts'
import { connectorsKey } from '../../data/connectors.ts'
import { plural, toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const Outcome = ({ answer: { ok, error, tools, omitted, milliseconds } }: { answer: ConnectorTest }) => (
  <Notice tone={ok ? 'good' : 'danger'} title={ok ? 'It answered' : 'It did not work'}>
    <p>
      {ok && `${plural(tools?.length ?? 0, 'tool')} `}after {toAmount(milliseconds)} ms.
      {omitted > 0 && ` ${omitted} were omitted: over the limit, or with a name or schema that models do not support.`}
    </p>
    {error !== null && <p>{error}</p>}
  </Notice>
)

/** One tool with the description of its server, and its schema in a collapsed section. */
const Tool = ({ tool: { name, description, inputSchema, isRepeatable } }: { tool: ConnectorTool }) => (
  <details className="offered-tool">
    <summary>
      <code>{name}</code>
      {isRepeatable && <Badge>idempotent</Badge>}
      <span className="muted">{description}</span>
    </summary>
    <p className="message-text">{description}</p>
    <Json label="Input" value={inputSchema} depth={3} />
  </details>
)

type ToolsProps = { id: string; tools: readonly ConnectorTool[] | null }

/** The tools that a connector's server offered last, and a button to reload them. */
export const ConnectorTools = ({ id, tools }: ToolsProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [answer, setAnswer] = useState<ConnectorTest>()
  const { run, isRunning, error } = useAction(async () => {
    setAnswer(undefined)
    setAnswer(await session.client.connectors.test(id))
    await queries.invalidateQueries({ queryKey: connectorsKey(session) })
  })
  return (
    <Panel
      title="Tools"
      description={tools === null ? 'never loaded' : tools.length}
      actions={
        <Button size="small" icon="refresh" isBusy={isRunning} onClick={() => void run()}>
          {isRunning ? 'Loading…' : 'Load tools'}
        </Button>
      }
    >
      <FailureNotice error={error} />
      {answer && <Outcome answer={answer} />}
      {tools === null && <p className="muted">Tools are loaded at the first test, or when a run first needs them.</p>}
      {tools?.length === 0 && <p className="muted">None.</p>}
      {tools && tools.length > 0 && (
        <div className="offered-tools">
          {tools.map((tool) => (
            <Tool key={tool.name} tool={tool} />
          ))}
        </div>
      )}
    </Panel>
  )
}
