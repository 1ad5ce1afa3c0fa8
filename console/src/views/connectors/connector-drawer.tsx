import type { Agent } from '@noema/contracts/agents.ts'
import type { Connector } from '@noema/contracts/connectors.ts'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { CopyId } from '../../components/copy-id.tsx'
import { Drawer } from '../../components/dialog.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { connectorQuery, connectorsKey } from '../../data/connectors.ts'
import { useSession } from '../../session/session.tsx'
import { OpenedSetUp } from '../agents/opened-set-up.tsx'
import { ConnectorDialog } from './connector-form.tsx'
import { ConnectorTools } from './connector-tools.tsx'
import { findAllowed } from './connector-users.ts'

const toFacts = ({ id, url, headers, toolsAt, createdAt, updatedAt }: Connector): [string, ReactNode][] => [
  ['URL', <code key="url">{url}</code>],
  ['Headers', headers.length === 0 ? 'none' : `${headers.join(', ')} (values are never shown)`],
  ['Last loaded', toolsAt === null ? 'never' : <Time key="asked" iso={toolsAt} />],
  ['Created', <Time key="created" iso={createdAt} />],
  ['Last changed', <Time key="set" iso={updatedAt} />],
  ['Id', <CopyId key="id" id={id} />],
]

const toDetail = (agent: Agent, id: string): string => {
  const allowed = findAllowed(agent, id)
  return allowed === 'all' ? 'all tools' : (allowed ?? []).join(', ')
}

type OpenedProps = { connector: Connector; users: readonly Agent[] | undefined; onClose: () => void }

const Opened = ({ connector, ...given }: OpenedProps) => {
  const { id, name, problem } = connector
  const session = useSession()
  const { data, error, refetch } = useQuery(connectorQuery(session, id))
  return (
    <OpenedSetUp
      {...{ name, problem, ...given }}
      sort="connector"
      parts="tools"
      facts={<KeyValues items={toFacts(connector)} />}
      acts={{
        change: 'Change',
        toDialog: (close) => <ConnectorDialog connector={connector} onClose={close} onSaved={close} />,
        remove: () => session.client.connectors.delete(id),
        erased: 'Its headers are deleted.',
        queryKey: connectorsKey(session),
      }}
      toDetail={(agent) => toDetail(agent, id)}
    >
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={5} />}
      {data && <ConnectorTools id={id} tools={data.tools} />}
    </OpenedSetUp>
  )
}

type DrawerProps = Omit<OpenedProps, 'connector'> & { connector: Connector | undefined }

/** A connector next to the list: its facts, the tools of its server, and the agents that use them. */
export const ConnectorDrawer = ({ connector, ...props }: DrawerProps) => (
  <Drawer isOpen={connector !== undefined} title={connector?.name ?? ''} onClose={props.onClose}>
    {connector && <Opened key={connector.id} connector={connector} {...props} />}
  </Drawer>
)
