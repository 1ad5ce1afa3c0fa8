import type { Agent } from '@noema/contracts/agents.ts'
import type { Connector } from '@noema/contracts/connectors.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyId } from '../../components/copy-id.tsx'
import { Drawer } from '../../components/dialog.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { connectorQuery, connectorsKey } from '../../data/connectors.ts'
import { useSession } from '../../session/session.tsx'
import { DeleteUsed } from '../agents/delete-used.tsx'
import { UsedBy } from '../agents/used-by.tsx'
import { ConnectorDialog } from './connector-form.tsx'
import { ConnectorTools } from './connector-tools.tsx'
import { findAllowed } from './connector-users.ts'

const toFacts = ({ id, url, headers, toolsAt, createdAt, updatedAt }: Connector): [string, ReactNode][] => [
  ['URL', <code key="url">{url}</code>],
  ['Headers', headers.length === 0 ? 'none' : `${headers.join(', ')} (values are never shown)`],
  ['Asked last', toolsAt === null ? 'never' : <Time key="asked" iso={toolsAt} />],
  ['Created', <Time key="created" iso={createdAt} />],
  ['Set last', <Time key="set" iso={updatedAt} />],
  ['Id', <CopyId key="id" id={id} />],
]

type DeleteProps = { connector: Connector; users: number; onClose: () => void; onDeleted: () => void }

const DeleteConnector = ({ connector: { id, name }, users, onClose, onDeleted }: DeleteProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const remove = async () => {
    await session.client.connectors.delete(id)
    onDeleted()
    await queries.invalidateQueries({ queryKey: connectorsKey(session) })
  }
  return (
    <DeleteUsed
      {...{ name, users, onClose }}
      sort="connector"
      parts="tools"
      erased="Its headers are erased."
      onDelete={remove}
    />
  )
}

const toDetail = (agent: Agent, id: string): string => {
  const allowed = findAllowed(agent, id)
  return allowed === 'all' ? 'all tools' : (allowed ?? []).join(', ')
}

type OpenedProps = { connector: Connector; users: readonly Agent[] | undefined; onClose: () => void }

const Opened = ({ connector, users, onClose }: OpenedProps) => {
  const { data, error, refetch } = useQuery(connectorQuery(useSession(), connector.id))
  const [open, setOpen] = useState<'edit' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <div className="stack">
      {connector.problem && (
        <Notice tone="danger">
          <p>{connector.problem}</p>
        </Notice>
      )}
      <KeyValues items={toFacts(connector)} />
      <div className="actions">
        <Button icon="edit" onClick={() => setOpen('edit')}>
          Change
        </Button>
        <Button icon="trash" tone="danger" onClick={() => setOpen('delete')}>
          Delete
        </Button>
      </div>
      <FailureNotice error={error} onRetry={() => void refetch()} />
      {!data && !error && <Skeleton lines={5} />}
      {data && <ConnectorTools id={connector.id} tools={data.tools} />}
      <Panel title="Agents with its tools">
        <UsedBy users={users} toDetail={(agent) => toDetail(agent, connector.id)} />
      </Panel>
      {open === 'edit' && <ConnectorDialog connector={connector} onClose={close} onSaved={close} />}
      {open === 'delete' && (
        <DeleteConnector connector={connector} users={users?.length ?? 0} onClose={close} onDeleted={onClose} />
      )}
    </div>
  )
}

type DrawerProps = Omit<OpenedProps, 'connector'> & { connector: Connector | undefined }

/** A connector beside the list: what is known of it, the tools of its server, and who has them. */
export const ConnectorDrawer = ({ connector, ...props }: DrawerProps) => (
  <Drawer isOpen={connector !== undefined} title={connector?.name ?? ''} onClose={props.onClose}>
    {connector && <Opened key={connector.id} connector={connector} {...props} />}
  </Drawer>
)
