import type { Conversation } from '@noema/contracts/conversations.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { toTablePages } from '../../data/paging.ts'
import '../../styles/runs.css'
import { Empty } from '../../components/empty.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { agentsQuery } from '../../data/agents.ts'
import { conversationMessagesQuery, conversationQuery, conversationsQuery } from '../../data/conversations.ts'
import { useSession } from '../../session/session.tsx'
import { Messages } from '../runs/messages.tsx'

const toColumns = (names: ReadonlyMap<string, string>): readonly Column<Conversation>[] => [
  {
    key: 'title',
    title: 'Title',
    cell: ({ id, title }) => (
      <Link to="/conversations/$id" params={{ id }}>
        {title ?? 'Untitled'}
      </Link>
    ),
  },
  { key: 'agent', title: 'Agent', width: 200, isWide: true, cell: ({ agentId }) => names.get(agentId ?? '') ?? 'any' },
  { key: 'made', title: 'Begun', width: 140, cell: ({ createdAt }) => <Time iso={createdAt} /> },
]

/** The organization's conversations with agents, newest first. */
export const Conversations = () => {
  const session = useSession()
  const query = useInfiniteQuery(conversationsQuery(session))
  const { data: agents } = useInfiniteQuery(agentsQuery(session))
  const names = new Map(agents?.pages.flatMap((page) => page.agents).map(({ id, name }) => [id, name]))
  return (
    <div className="page stack">
      <PageHeader title="Conversations" />
      <DataTable
        label="Conversations"
        columns={toColumns(names)}
        rows={query.data?.pages.flatMap((page) => page.conversations)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={<Empty title="No conversations yet">Chat with an agent from its page.</Empty>}
      />
    </div>
  )
}

const route = getRouteApi('/conversations/$id')

/** The messages of one conversation. */
export const ConversationPage = () => {
  const session = useSession()
  const { id } = route.useParams()
  const { data: conversation, error } = useQuery(conversationQuery(session, id))
  const { data: messages } = useQuery(conversationMessagesQuery(session, id))
  useCrumbName(`/conversations/${id}`, conversation?.title ?? undefined)
  const agentId = conversation?.agentId
  return (
    <div className="page stack chat">
      <PageHeader
        title={conversation?.title ?? 'Conversation'}
        actions={
          agentId && (
            <LinkButton to="/agents/$id/chat" params={{ id: agentId }} search={{ conversation: id }} tone="primary">
              Continue
            </LinkButton>
          )
        }
      />
      <FailureNotice error={error} />
      {!messages && !error && <Skeleton lines={8} />}
      {messages?.length === 0 && (
        <Empty title="No messages yet">Ask the agent something: the first question starts a run.</Empty>
      )}
      {messages && <Messages messages={messages} live="" />}
    </div>
  )
}
