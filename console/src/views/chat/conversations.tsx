import type { Conversation } from '@noema/contracts/conversations.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { toTablePages } from '../../data/paging.ts'
import '../../styles/runs.css'
import { Button, IconButton } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { LinkButton } from '../../components/link-button.tsx'
import { Menu } from '../../components/menu.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import type { Column } from '../../components/table/columns.ts'
import { DataTable } from '../../components/table/data-table.tsx'
import type { TableSearch } from '../../components/table/use-table-search.tsx'
import { Time } from '../../components/time.tsx'
import { useCrumbName } from '../../crumb-names.ts'
import { agentsQuery } from '../../data/agents.ts'
import { conversationMessagesQuery, conversationQuery, conversationsQuery } from '../../data/conversations.ts'
import { ActorName } from '../../items/actor-name.tsx'
import { useSession } from '../../session/session.tsx'
import { Messages } from '../runs/messages.tsx'
import { type ConversationAct, DeleteConversation, RenameConversation } from './conversation-acts.tsx'

type Acting = { act: ConversationAct; conversation: Conversation }

const ConversationMenu = ({ conversation, onAct }: { conversation: Conversation; onAct: (acting: Acting) => void }) => (
  <Menu
    trigger={<IconButton icon="more" label={`Actions for ${conversation.title ?? 'the untitled conversation'}`} />}
    items={[
      { name: 'Rename', icon: 'edit', onSelect: () => onAct({ act: 'rename', conversation }) },
      { name: 'Delete…', icon: 'trash', tone: 'danger', onSelect: () => onAct({ act: 'delete', conversation }) },
    ]}
  />
)

const Act = ({ acting, onClose, onDone }: { acting: Acting | undefined; onClose: () => void; onDone?: () => void }) => {
  if (!acting) return null
  const Dialog = acting.act === 'rename' ? RenameConversation : DeleteConversation
  return <Dialog conversation={acting.conversation} onClose={onClose} {...(onDone && { onDone })} />
}

const toColumns = (
  names: ReadonlyMap<string, string>,
  onAct: (acting: Acting) => void,
): readonly Column<Conversation>[] => [
  {
    key: 'title',
    title: 'Title',
    sort: ({ title }) => title,
    cell: ({ id, title }) => (
      <Link to="/conversations/$id" params={{ id }}>
        {title ?? 'Untitled'}
      </Link>
    ),
  },
  {
    key: 'agent',
    title: 'Agent',
    width: 200,
    isWide: true,
    sort: ({ agentId }) => names.get(agentId ?? ''),
    cell: ({ agentId }) => names.get(agentId ?? '') ?? 'any',
  },
  {
    key: 'by',
    title: 'By',
    width: 150,
    isWide: true,
    cell: ({ createdBy }) => <ActorName actor={createdBy} />,
  },
  {
    key: 'made',
    title: 'Started',
    width: 120,
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => <Time iso={createdAt} />,
  },
  {
    key: 'acts',
    title: '',
    width: 44,
    align: 'end',
    cell: (conversation) => <ConversationMenu conversation={conversation} onAct={onAct} />,
  },
]

const search: TableSearch<Conversation> = {
  label: 'Search titles',
  what: ['conversation', 'conversations'],
  toText: ({ title, id }) => `${title ?? ''} ${id}`,
}

/** The organization's conversations with agents, newest first. */
export const Conversations = () => {
  const session = useSession()
  const query = useInfiniteQuery(conversationsQuery(session))
  const { data: agents } = useInfiniteQuery(agentsQuery(session))
  const [acting, setActing] = useState<Acting>()
  const names = new Map(agents?.pages.flatMap((page) => page.agents).map(({ id, name }) => [id, name]))
  return (
    <div className="page stack">
      <PageHeader title="Conversations" />
      <DataTable
        label="Conversations"
        columns={toColumns(names, setActing)}
        search={search}
        rows={query.data?.pages.flatMap((page) => page.conversations)}
        toId={({ id }) => id}
        {...toTablePages(query)}
        empty={<Empty title="No conversations yet">Chat with an agent from its page.</Empty>}
      />
      <Act acting={acting} onClose={() => setActing(undefined)} />
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
  const [acting, setActing] = useState<Acting>()
  const navigate = route.useNavigate()
  return (
    <div className="page stack chat">
      <PageHeader
        title={conversation?.title ?? 'Conversation'}
        actions={
          conversation && (
            <>
              <Button onClick={() => setActing({ act: 'rename', conversation })}>Rename</Button>
              <Button icon="trash" onClick={() => setActing({ act: 'delete', conversation })}>
                Delete
              </Button>
              {agentId && (
                <LinkButton to="/agents/$id/chat" params={{ id: agentId }} search={{ conversation: id }} tone="primary">
                  Continue
                </LinkButton>
              )}
            </>
          )
        }
      />
      <FailureNotice error={error} />
      {!messages && !error && <Skeleton lines={8} />}
      {messages?.length === 0 && (
        <Empty title="No messages yet">Ask the agent something: the first question starts a run.</Empty>
      )}
      {messages && <Messages messages={messages} live="" />}
      <Act
        acting={acting}
        onClose={() => setActing(undefined)}
        onDone={() => void navigate({ to: '/conversations', replace: true })}
      />
    </div>
  )
}
