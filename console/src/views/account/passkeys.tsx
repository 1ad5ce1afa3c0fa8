import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { type Passkey, passkeysQuery, removePasskey, renamePasskey } from '../../data/account.ts'
import { addPasskey, isStale } from '../../session/ways-in.ts'
import { FreshNotice } from './fresh-notice.tsx'

type Act = { name: 'add' } | { name: 'rename' | 'remove'; passkey: Passkey }

type NameFormProps = { submit: string; name: string; onSubmit: (name: string) => Promise<unknown>; onDone: () => void }

const NameForm = ({ submit, name, onSubmit, onDone }: NameFormProps) => {
  const form = useContractForm({
    initial: { name },
    toBody: (values) => values.name.trim(),
    submit: async (given) => {
      await onSubmit(given)
      onDone()
    },
  })
  // A passkey needs a recent sign-in, so that someone who finds an open page cannot add one.
  const goOn = async () => {
    await onSubmit(form.store.get().values.name.trim())
    onDone()
  }
  if (isStale(form.failure)) return <FreshNotice error={form.failure} purpose="add a passkey" onFresh={goOn} />
  return (
    <Form form={form} submit={submit} onCancel={onDone}>
      <form.Text label="Name" name="name" hint="Helps you recognize it later." required maxLength={100} />
    </Form>
  )
}

const Dialogs = ({ act, onClose }: { act: Act; onClose: () => void }) => {
  const queries = useQueryClient()
  const finish = () => {
    onClose()
    void queries.invalidateQueries(passkeysQuery())
  }
  if (act.name === 'add')
    return (
      <Dialog isOpen title="Add a passkey" onClose={onClose} size="small">
        <NameForm submit="Continue" name="" onSubmit={addPasskey} onDone={finish} />
      </Dialog>
    )
  const { id, name } = act.passkey
  if (act.name === 'rename')
    return (
      <Dialog isOpen title="Rename passkey" onClose={onClose} size="small">
        <NameForm submit="Save" name={name} onSubmit={(given) => renamePasskey(id, given)} onDone={finish} />
      </Dialog>
    )
  return (
    <ConfirmDialog
      isOpen
      title={`Remove ${name}?`}
      confirm="Remove"
      onConfirm={() => removePasskey(id)}
      onClose={finish}
    >
      <p>It can no longer sign in to this account. Your device keeps it until you delete it there.</p>
    </ConfirmDialog>
  )
}

const List = ({ passkeys, onAct }: { passkeys: readonly Passkey[]; onAct: (act: Act) => void }) => (
  <ul className="lines">
    {passkeys.map((passkey) => (
      <li key={passkey.id}>
        <span className="line-main">
          <strong>{passkey.name}</strong>
          <span className="muted">
            Added <Time iso={passkey.createdAt} />
          </span>
        </span>
        <Button
          size="small"
          tone="quiet"
          onClick={() => onAct({ name: 'rename', passkey })}
          aria-label={`Rename ${passkey.name}`}
        >
          Rename
        </Button>
        <Button
          size="small"
          tone="quiet"
          onClick={() => onAct({ name: 'remove', passkey })}
          aria-label={`Remove ${passkey.name}`}
        >
          Remove
        </Button>
      </li>
    ))}
  </ul>
)

/** The passkeys of the account. */
export const Passkeys = ({ isOffered }: { isOffered: boolean }) => {
  const [act, setAct] = useState<Act>()
  const { data, error } = useQuery(passkeysQuery())
  return (
    <Panel
      title="Passkeys"
      actions={
        isOffered && (
          <Button size="small" onClick={() => setAct({ name: 'add' })}>
            Add a passkey
          </Button>
        )
      }
    >
      <FailureNotice error={error} />
      {!data && !error && <Skeleton lines={1} />}
      {data && data.length > 0 && <List passkeys={data} onAct={setAct} />}
      {data?.length === 0 && (
        <p className="muted">
          {isOffered
            ? 'A passkey signs you in with the PIN, fingerprint or face check of your device. You need no password.'
            : 'None. Passkeys do not work at this address or in this browser.'}
        </p>
      )}
      {act && <Dialogs act={act} onClose={() => setAct(undefined)} />}
    </Panel>
  )
}
