import type { Agent } from '@noema/contracts/agents.ts'
import type { Provider } from '@noema/contracts/providers.ts'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Drawer } from '../../components/dialog.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { providersKey } from '../../data/providers.ts'
import { useSession } from '../../session/session.tsx'
import { DeleteUsed } from '../agents/delete-used.tsx'
import { UsedBy } from '../agents/used-by.tsx'
import { ProviderDialog } from './provider-form.tsx'
import { TestProvider } from './provider-test.tsx'
import { kindNames, type ListedProvider, listModels, usualAddresses } from './provider-words.ts'

const toFacts = ({ kind, baseUrl, hasApiKey, headers, createdAt, updatedAt }: Provider): [string, ReactNode][] => [
  ['API', kindNames[kind]],
  ['Address', <code key="address">{baseUrl ?? `${usualAddresses[kind]} (usual)`}</code>],
  ['Key', hasApiKey ? 'kept, and never shown' : 'none'],
  ['Headers', headers.length === 0 ? 'none' : headers.join(', ')],
  ['Created', <Time key="created" iso={createdAt} />],
  ['Set last', <Time key="set" iso={updatedAt} />],
]

type DeleteProps = { name: string; users: number; onClose: () => void; onDeleted: () => void }

const DeleteProvider = ({ name, users, onClose, onDeleted }: DeleteProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const remove = async () => {
    await session.client.providers.delete(name)
    await queries.invalidateQueries({ queryKey: providersKey(session) })
    onDeleted()
  }
  return (
    <DeleteUsed
      {...{ name, users, onClose }}
      sort="provider"
      parts="models"
      erased="Its key is erased."
      onDelete={remove}
    />
  )
}

type OpenedProps = { provider: ListedProvider; users: readonly Agent[] | undefined; onClose: () => void }

const Opened = ({ provider: { name, kind, own }, users, onClose }: OpenedProps) => {
  const [open, setOpen] = useState<'replace' | 'delete'>()
  const close = () => setOpen(undefined)
  return (
    <div className="stack">
      {own?.problem && (
        <Notice tone="danger">
          <p>{own.problem}</p>
        </Notice>
      )}
      {own ? (
        <KeyValues items={toFacts(own)} />
      ) : (
        <Notice>
          <p>
            The operator of the service shares this account with {kindNames[kind]} with every organization. Add a
            provider of the same name to use a key of yours.
          </p>
        </Notice>
      )}
      {own && (
        <div className="actions">
          <Button icon="edit" onClick={() => setOpen('replace')}>
            Replace
          </Button>
          <Button icon="trash" tone="danger" onClick={() => setOpen('delete')}>
            Delete
          </Button>
        </div>
      )}
      <Panel title="Try it">
        <TestProvider key={name} name={name} models={listModels(users ?? [], name)} />
      </Panel>
      <Panel title="Agents with its models">
        <UsedBy users={users} toDetail={({ model }) => <code>{model}</code>} />
      </Panel>
      {own && open === 'replace' && <ProviderDialog provider={own} onClose={close} onSaved={close} />}
      {open === 'delete' && (
        <DeleteProvider name={name} users={users?.length ?? 0} onClose={close} onDeleted={onClose} />
      )}
    </div>
  )
}

type DrawerProps = Omit<OpenedProps, 'provider'> & { provider: ListedProvider | undefined }

/** A provider beside the list: what is known of it, a call to try it, and who uses it. */
export const ProviderDrawer = ({ provider, ...props }: DrawerProps) => (
  <Drawer isOpen={provider !== undefined} title={provider?.name ?? ''} onClose={props.onClose}>
    {provider && <Opened provider={provider} {...props} />}
  </Drawer>
)
