import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Checkbox } from '../../components/choices.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { showToast } from '../../components/toast.ts'
import { reloadOrganizationWebhooks } from '../../data/organization-webhooks.ts'
import { useSession } from '../../session/session.tsx'
import type { DeliveryRow } from '../../webhooks/delivery-table.tsx'

type SendAgainProps = { webhook: string; from: DeliveryRow; onClose: () => void }

/** Sends a delivery again with all later ones, in as many calls as that takes. */
export const SendAgain = ({ webhook, from, onClose }: SendAgainProps) => {
  const session = useSession()
  const queries = useQueryClient()
  const [failed, setFailed] = useState(false)
  const send = async () => {
    let count = 0
    for (let next: string | null = from.id; next !== null; ) {
      const sent = await session.client.webhooks.rewind(webhook, { from: next, failed })
      count += sent.count
      next = sent.next
    }
    await reloadOrganizationWebhooks(queries, session)
    showToast({
      tone: 'good',
      title: count === 1 ? '1 delivery is sent again' : `${count} deliveries will be sent again`,
    })
  }
  return (
    <ConfirmDialog
      isOpen
      title="Resend from here?"
      confirm="Send again"
      tone="primary"
      onConfirm={send}
      onClose={onClose}
    >
      <p>
        This delivery of <code>{from.event}</code>
        {from.at !== null && (
          <>
            , tried <Time iso={from.at} />,
          </>
        )}{' '}
        and all later ones are sent again at once, with all attempts. They have the same webhook-id that they had.
      </p>
      <Checkbox label="Failed deliveries only" checked={failed} onChange={setFailed} />
    </ConfirmDialog>
  )
}
