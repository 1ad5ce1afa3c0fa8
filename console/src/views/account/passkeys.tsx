import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { Time } from '../../components/time.tsx'
import { type Passkey, passkeysQuery, removePasskey, renamePasskey } from '../../data/account.ts'
import { useAccount } from '../../session/account.tsx'
import { signOut } from '../../session/auth.ts'
import { addPasskey, isStale } from '../../session/ways-in.ts'

type Act = { name: 'add' } | { name: 'rename' | 'remove'; passkey: Passkey }

/** Adding one asks for a young session: who finds a page open does not stay. */
const Stale = () => {
  const { refresh } = useAccount()
  return (
    <FailureNotice error={new Error('You signed in a while ago. Sign in again, then add the passkey.')}>
      <Button
        size="small"
        onClick={async () => {
          await signOut()
          await refresh()
        }}
      >
        Sign in again
      </Button>
    </FailureNotice>
  )
}

type NameFormProps = { submit: string; name: string; onSubmit: (name: string) => Promise<unknown>; onDone: () => void }

const NameForm = ({ submit, name, onSubmit, onDone }: NameFormProps) => (
  <Form
    submit={submit}
    onSubmit={async (form) => {
      await onSubmit(textIn(form, 'name').trim())
      onDone()
    }}
    failure={(error) => (isStale(error) ? <Stale /> : <FailureNotice error={error} />)}
    aside={<Button onClick={onDone}>Cancel</Button>}
  >
    <TextInput
      label="Name"
      name="name"
      defaultValue={name}
      hint="So that you know it again."
      required
      maxLength={100}
    />
  </Form>
)

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
      <Dialog isOpen title="Rename the passkey" onClose={onClose} size="small">
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
      <p>It does not sign in to this account any more. The device keeps it until you delete it there.</p>
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

/** The devices that sign in to the account by themselves. */
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
            ? 'A passkey signs in with the PIN, the finger or the face that your device asks for, and needs no password.'
            : 'None. This page’s address, or this browser, cannot use passkeys.'}
        </p>
      )}
      {act && <Dialogs act={act} onClose={() => setAct(undefined)} />}
    </Panel>
  )
}
