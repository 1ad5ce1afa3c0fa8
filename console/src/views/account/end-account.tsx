import type { Client } from '@noema/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { type ContractForm, useContractForm } from '../../components/form/use-contract-form.ts'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { accountDeletionQuery } from '../../data/account.ts'
import { signOut } from '../../session/auth.ts'
import { useSession } from '../../session/session.tsx'
import { Contents } from '../settings/contents.tsx'
import { currentPassword } from './password.tsx'

type Preview = Awaited<ReturnType<Client['account']['previewDeletion']>>
type Fate = Preview['organizations'][number]

const fates = {
  deleted: ['danger', 'will be deleted'],
  left: ['neutral', 'continues without you'],
  undecided: ['warning', 'has no other owner'],
} as const

type FateLineProps = { fate: Fate; isTicked: boolean; onTick: (isOn: boolean) => void }

/** The consequence for one organization. */
const FateLine = ({ fate: { name, fate, otherMembers, takes, heldBrains }, isTicked, onTick }: FateLineProps) => {
  const [tone, words] = fates[fate]
  return (
    <li className="fate">
      <p>
        <strong>{name}</strong> <Badge tone={tone}>{words}</Badge>
      </p>
      {heldBrains.length > 0 && (
        <Notice tone="warning">
          <p>A hold on {heldBrains.join(', ')} prevents the deletion. Release it first.</p>
        </Notice>
      )}
      {fate === 'undecided' && (
        <>
          <p className="muted">
            {otherMembers === 0
              ? 'It has no other member. Invite another owner first, or:'
              : `Make one of its ${otherMembers === 1 ? 'other member' : `${otherMembers} other members`} an owner, or:`}
          </p>
          <Checkbox label={`Delete ${name} with my account`} checked={isTicked} onChange={onTick} />
        </>
      )}
      {takes && (fate === 'deleted' || isTicked) && <Contents takes={takes} />}
    </li>
  )
}

type Values = { ticked: readonly string[]; revokeBrainKeys: boolean; confirm: string; password: string }

const toValues = (): Values => ({ ticked: [], revokeBrainKeys: false, confirm: '', password: '' })

const useDeletion = () => {
  const { client } = useSession()
  return useContractForm({
    initial: toValues(),
    contract: async () => (await import('@noema/contracts/deletions.ts')).deleteAccount.body,
    paths: { ticked: 'organizations' },
    toBody: ({ ticked, revokeBrainKeys, confirm, password }) => ({
      confirm: confirm.trim(),
      ...(password !== '' && { password }),
      organizations: [...ticked],
      revokeBrainKeys,
    }),
    submit: async (body) => {
      await client.account.delete(body)
      // A full page load leaves nothing of the account in memory.
      location.assign(`${baseUrl}/sign-up`)
    },
  })
}

type FatesProps = { organizations: readonly Fate[]; form: ContractForm<Values> }

const Fates = ({ organizations, form }: FatesProps) => (
  <form.Field name="ticked">
    {({ value, set }) => (
      <ul className="fates">
        {organizations.map((fate) => (
          <FateLine
            key={fate.id}
            fate={fate}
            isTicked={value.includes(fate.id)}
            onTick={(isOn) => set(isOn ? [...value, fate.id] : value.filter((id) => id !== fate.id))}
          />
        ))}
      </ul>
    )}
  </form.Field>
)

type EndFormProps = { preview: Preview; onClose: () => void }

const EndForm = ({ preview: { account, proof, organizations }, onClose }: EndFormProps) => {
  const form = useDeletion()
  return (
    <Form
      form={form}
      submit="Delete account"
      tone="danger"
      onCancel={onClose}
      renderFailure={(error) => <EndFailure error={error} />}
    >
      <Fates organizations={organizations} form={form} />
      {organizations.some(({ fate }) => fate === 'left') && (
        <form.Checkbox
          label="Revoke the Brain keys that I created in organizations that continue"
          name="revokeBrainKeys"
        />
      )}
      <form.Text
        label={`Type ${account.email} to confirm`}
        name="confirm"
        required
        autoComplete="off"
        spellCheck={false}
        isMono
      />
      {proof === 'password' && <form.Text label="Your password" name="password" {...currentPassword} />}
    </Form>
  )
}

/** An account without a password needs a recent sign-in as proof. */
const EndFailure = ({ error }: { error: unknown }) => {
  const isStale = error instanceof Error && 'code' in error && error.code === 'session_not_fresh'
  const leave = async () => {
    await signOut()
    location.assign(`${baseUrl}/sign-in?next=%2Faccount`)
  }
  return (
    <FailureNotice error={error}>
      {isStale && (
        <Button size="small" onClick={() => void leave()}>
          Sign in again
        </Button>
      )}
    </FailureNotice>
  )
}

const EndDialog = ({ onClose }: { onClose: () => void }) => {
  const { data, error, refetch } = useQuery(accountDeletionQuery(useSession()))
  return (
    <Dialog
      isOpen
      title="Delete your account?"
      description="This is permanent. Your name and email address are deleted; what you did stays in the log under an anonymous id."
      onClose={onClose}
    >
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && <EndForm preview={data} onClose={onClose} />}
    </Dialog>
  )
}

/** Deletes the account, after a preview and a confirmation by email address and password. */
export const EndAccount = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title="Delete account">
      <p>
        Your personal organization is deleted too. Management keys that you created in other organizations are revoked.
        You see everything that will be deleted before you confirm.
      </p>
      <div className="actions">
        <Button tone="danger" onClick={() => setOpen(true)}>
          Delete account…
        </Button>
      </div>
      {isOpen && <EndDialog onClose={() => setOpen(false)} />}
    </Panel>
  )
}
