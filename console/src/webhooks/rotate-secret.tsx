import { useRef, useState } from 'react'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Dialog } from '../components/dialog.tsx'
import { NewSecret } from '../components/secret.tsx'

type RotateSecretProps = { url: string; rotate: () => Promise<{ secret: string }>; onClose: () => void }

/** Rotates the secret of a webhook and shows the new one once. */
export const RotateSecret = ({ url, rotate, onClose }: RotateSecretProps) => {
  const [secret, setSecret] = useState<string>()
  // The question closes after the answer. The new secret stays open.
  const isAnswered = useRef(false)
  const act = async () => {
    const made = await rotate()
    isAnswered.current = true
    setSecret(made.secret)
  }
  if (secret !== undefined)
    return (
      <Dialog isOpen title="The new secret" onClose={onClose} size="small">
        <NewSecret secret={secret} onKept={onClose} sort="signing" />
      </Dialog>
    )
  return (
    <ConfirmDialog
      isOpen
      title="Rotate secret?"
      confirm="Rotate secret"
      tone="primary"
      onConfirm={act}
      onClose={() => isAnswered.current || onClose()}
    >
      <p>
        Deliveries to <code>{url}</code> are signed by both secrets for 24 hours, the new one in{' '}
        <code>X-Service-Signature-Next</code>, and then by the new one alone. Give it to the receiver within that time.
      </p>
    </ConfirmDialog>
  )
}
