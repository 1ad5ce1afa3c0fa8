import '../../styles/connect.css'
import {
  type AiClient,
  aiClients,
  findLastUse,
  isPublicUrl,
  type McpServer,
  toMcpServer,
} from '@noema/contracts/ai-clients.ts'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { baseUrl } from '../../base-path.ts'
import { Code } from '../../components/code.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { brainQuery } from '../../data/brains.ts'
import { connectionsQuery } from '../../data/connections.ts'
import { useSession } from '../../session/session.tsx'

const route = getRouteApi('/brains/$handle/connect')

const words = { run: 'Run in a terminal', open: 'Open', paste: 'Paste' } as const

const Step = ({ client, server }: { client: AiClient; server: McpServer }) => {
  const step = client.step(server)
  if (step.kind === 'open')
    return (
      <p>
        <a className="button" href={step.text}>
          Open in {client.title}
        </a>
      </p>
    )
  return <Code code={step.text} label={step.kind === 'paste' ? `Paste into ${step.place}` : words[step.kind]} />
}

const State = ({ lastUsedAt }: { lastUsedAt: string | undefined }) =>
  lastUsedAt === undefined ? (
    <span className="muted">Not connected yet</span>
  ) : (
    <span className="connected">
      Connected, last used <Time iso={lastUsedAt} />
    </span>
  )

type ClientPanelProps = { client: AiClient; server: McpServer; handle: string; lastUsedAt: string | undefined }

const ClientPanel = ({ client, server, handle, lastUsedAt }: ClientPanelProps) => (
  <Panel title={client.title} actions={<State lastUsedAt={lastUsedAt} />}>
    <Step client={client} server={server} />
    <p className="muted">{client.next(server)}</p>
    {client.hasHooks && (
      <details>
        <summary>Also save what its sessions learn</summary>
        <Code code={`npx noema hooks install ${client.name} --brain ${handle}`} label={words.run} />
      </details>
    )}
  </Panel>
)

/** For each AI client the one thing that connects it with this Brain, and its last use. */
export const ConnectPage = () => {
  const { handle } = route.useParams()
  const session = useSession()
  const { data: brain } = useQuery(brainQuery(session, handle))
  const { data, error, refetch } = useQuery(connectionsQuery(session, handle))
  const server = toMcpServer(baseUrl, handle)
  const isPublic = isPublicUrl(server.url)
  const findUse = (client: AiClient) => brain && data && findLastUse(client, brain.brain.id, data)
  return (
    <section aria-label="Connect" className="stack">
      <p className="muted">
        The client opens a page of this console, where you sign in and choose what it may do. It needs no key. What you
        let in is listed on the page <Link to="/settings/apps">Apps</Link>. Programs use{' '}
        <Link to="/brains/$handle/keys" params={{ handle }}>
          keys
        </Link>
        .
      </p>
      <Panel title="The URL of this Brain">
        <Code code={server.url} label="MCP server, streamable HTTP" />
      </Panel>
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!isPublic && (
        <Notice tone="warning">
          Claude and ChatGPT run on the servers of their makers, which reach public https URLs only. This service is at{' '}
          {baseUrl}.
        </Notice>
      )}
      <div className="clients">
        {aiClients.map((client) => (
          <ClientPanel key={client.name} {...{ client, server, handle }} lastUsedAt={findUse(client)} />
        ))}
      </div>
    </section>
  )
}
