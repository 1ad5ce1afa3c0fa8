import type { BrainRecord } from '@noema/contracts/records.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmButton } from '../../components/confirm-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { Time } from '../../components/time.tsx'
import { showToast } from '../../components/toast.ts'
import { toIso, toLocal } from '../../local-time.ts'
import { useSession } from '../../session/session.tsx'

type ExpiryProps = { handle: string; record: BrainRecord }

/** Says when a record expires, or that it does not. */
const useExpiry = ({ handle, record }: ExpiryProps) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  return async (expiresAt: string | null) => {
    const { id, version } = record
    const { outcome } = await client.brain(handle).records.patch(id, { expiresAt }, { ifMatch: version })
    await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
    if (outcome === 'staged') showToast({ title: 'The new time waits for review.' })
  }
}

const ExpiryForm = ({ handle, record, onClose }: ExpiryProps & { onClose: () => void }) => {
  const expire = useExpiry({ handle, record })
  const form = useContractForm({
    initial: { expiresAt: toLocal(record.expiresAt) },
    contract: async () => (await import('@noema/contracts/records.ts')).patchRecord.body,
    toBody: ({ expiresAt }) => ({ expiresAt: toIso(expiresAt) ?? null }),
    submit: async ({ expiresAt }) => {
      await expire(expiresAt)
      onClose()
    },
  })
  return (
    <Form form={form} submit="Save" onCancel={onClose}>
      <p>The record is deleted at this time, by a change that can be reverted. Without a time it stays.</p>
      <form.Text label="Expires" name="expiresAt" type="datetime-local" />
    </Form>
  )
}

/** Sets when a record expires. */
export const ExpireRecord = (props: ExpiryProps) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        Expiry
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="When the record expires" size="small">
        <ExpiryForm {...props} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

/** When a record is deleted by itself, and a button that keeps it. */
export const Expiry = ({ handle, record, isCurrent }: ExpiryProps & { isCurrent: boolean }) => {
  const expire = useExpiry({ handle, record })
  if (record.expiresAt === undefined) return null
  return (
    <p className="about">
      <span>
        Expires <Time iso={record.expiresAt} />
      </span>
      {isCurrent && (
        <ConfirmButton label="Keep it" title="Keep this record?" confirm="Keep record" onConfirm={() => expire(null)}>
          <p>It is then no longer deleted at that time. In review mode, this waits for a decision.</p>
        </ConfirmButton>
      )}
    </p>
  )
}
