import type { Client } from '@noema/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { baseUrl } from '../../base-path.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextInput, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Panel } from '../../components/panel.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { accountDeletionQuery } from '../../data/account.ts'
import { signOut } from '../../session/auth.ts'
import { useSession } from '../../session/session.tsx'
import { Contents } from '../settings/contents.tsx'
import { CurrentPassword } from './password.tsx'

type Preview = Awaited<ReturnType<Client['account']['previewDeletion']>>
type Fate = Preview['organizations'][number]

const fates = {
  deleted: ['danger', 'deleted with it'],
  left: ['neutral', 'goes on without you'],
  undecided: ['warning', 'has no other owner'],
} as const

type FateLineProps = { fate: Fate; isTicked: boolean; onTick: (isOn: boolean) => void }

/** What becomes of one organization. */
const FateLine = ({ fate: { name, fate, otherMembers, takes, heldBrains }, isTicked, onTick }: FateLineProps) => {
  const [tone, words] = fates[fate]
  return (
    <li className="fate">
      <p>
        <strong>{name}</strong> <Badge tone={tone}>{words}</Badge>
      </p>
      {heldBrains.length > 0 && (
        <Notice tone="warning">
          <p>A hold on {heldBrains.join(', ')} keeps it. Release it first.</p>
        </Notice>
      )}
      {fate === 'undecided' && (
        <>
          <p className="muted">
            {otherMembers === 0
              ? 'Nobody else belongs to it. Invite another owner first, or:'
              : `Make one of its ${otherMembers === 1 ? 'other member' : `${otherMembers} other members`} an owner, or:`}
          </p>
          <Checkbox label={`Delete ${name} with the account`} checked={isTicked} onChange={onTick} />
        </>
      )}
      {takes && (fate === 'deleted' || isTicked) && <Contents takes={takes} />}
    </li>
  )
}

const EndForm = ({
  preview: { account, proof, organizations },
  onClose,
}: {
  preview: Preview
  onClose: () => void
}) => {
  const { client } = useSession()
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set())
  const [revokesBrainKeys, setRevokes] = useState(false)
  const tick = (id: string, isOn: boolean) =>
    setTicked(new Set(isOn ? [...ticked, id] : [...ticked].filter((one) => one !== id)))
  const end = async (form: FormData) => {
    const password = textIn(form, 'current')
    await client.account.delete({
      confirm: textIn(form, 'confirm').trim(),
      ...(password !== '' && { password }),
      organizations: [...ticked],
      revokeBrainKeys: revokesBrainKeys,
    })
    // The page is loaded anew, so that nothing of the account stays in memory.
    location.assign(`${baseUrl}/sign-up`)
  }
  const goesOn = organizations.some(({ fate }) => fate === 'left')
  return (
    <Form
      submit="Delete account"
      tone="danger"
      onSubmit={end}
      aside={<Button onClick={onClose}>Cancel</Button>}
      failure={(error) => <EndFailure error={error} />}
    >
      <ul className="fates">
        {organizations.map((fate) => (
          <FateLine key={fate.id} fate={fate} isTicked={ticked.has(fate.id)} onTick={(isOn) => tick(fate.id, isOn)} />
        ))}
      </ul>
      {goesOn && (
        <Checkbox
          label="Revoke the Brain keys that I made where it goes on"
          checked={revokesBrainKeys}
          onChange={setRevokes}
        />
      )}
      <TextInput
        label={`Type ${account.email} to go on`}
        name="confirm"
        required
        autoComplete="off"
        spellCheck={false}
        isMono
      />
      {proof === 'password' && <CurrentPassword />}
    </Form>
  )
}

/** An account without a password proves itself by having signed in just now. */
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
      description="For good: your name and address are in no table afterwards, and what you did stays under an id that means nobody."
      onClose={onClose}
    >
      {error && <FailureNotice error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && <EndForm preview={data} onClose={onClose} />}
    </Dialog>
  )
}

/** The end of the account, which is told before and confirmed by its address and a proof. */
export const EndAccount = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title="Delete account">
      <p>
        Your personal organization goes with it. Management keys that you minted elsewhere end. You are shown what that
        is before.
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
