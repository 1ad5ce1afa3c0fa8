import type { Agent } from '@noema/contracts/agents.ts'
import type { Provider, ProviderKind } from '@noema/contracts/providers.ts'
import type { ReactNode } from 'react'
import { Drawer } from '../../components/dialog.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { providersKey } from '../../data/providers.ts'
import { useSession } from '../../session/session.tsx'
import { OpenedSetUp } from '../agents/opened-set-up.tsx'
import { ProviderDialog } from './provider-form.tsx'
import { TestProvider } from './provider-test.tsx'
import { kindNames, type ListedProvider, listModels, usualAddresses } from './provider-words.ts'

const toFacts = ({ kind, baseUrl, hasApiKey, headers, createdAt, updatedAt }: Provider): [string, ReactNode][] => [
  ['API', kindNames[kind]],
  ['Base URL', <code key="url">{baseUrl ?? `${usualAddresses[kind]} (usual)`}</code>],
  ['Key', hasApiKey ? 'kept, and never shown' : 'none'],
  ['Headers', headers.length === 0 ? 'none' : headers.join(', ')],
  ['Created', <Time key="created" iso={createdAt} />],
  ['Last changed', <Time key="set" iso={updatedAt} />],
]

const Shared = ({ kind }: { kind: ProviderKind }) => (
  <Notice>
    <p>
      The operator of the service shares this account with {kindNames[kind]} with every organization. Add a provider of
      the same name to use a key of yours.
    </p>
  </Notice>
)

type OpenedProps = { provider: ListedProvider; users: readonly Agent[] | undefined; onClose: () => void }

const Opened = ({ provider: { name, kind, own }, users, onClose }: OpenedProps) => {
  const session = useSession()
  return (
    <OpenedSetUp
      {...{ name, users, onClose }}
      sort="provider"
      parts="models"
      problem={own?.problem}
      facts={own ? <KeyValues items={toFacts(own)} /> : <Shared kind={kind} />}
      acts={
        own && {
          change: 'Replace',
          toDialog: (close) => <ProviderDialog provider={own} onClose={close} onSaved={close} />,
          remove: () => session.client.providers.delete(name),
          erased: 'Its key is deleted.',
          queryKey: providersKey(session),
        }
      }
      toDetail={({ model }) => <code>{model}</code>}
    >
      <Panel title="Test">
        <TestProvider key={name} name={name} models={listModels(users ?? [], name)} />
      </Panel>
    </OpenedSetUp>
  )
}

type DrawerProps = Omit<OpenedProps, 'provider'> & { provider: ListedProvider | undefined }

/** A provider next to the list: its facts, a test, and the agents that use it. */
export const ProviderDrawer = ({ provider, ...props }: DrawerProps) => (
  <Drawer isOpen={provider !== undefined} title={provider?.name ?? ''} onClose={props.onClose}>
    {provider && <Opened provider={provider} {...props} />}
  </Drawer>
)
