import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { ItemName } from '../../items/item-link.tsx'
import { StagedNotice } from '../../items/staged-notice.tsx'
import { useSession } from '../../session/session.tsx'

type RetractProps = { handle: string; id: string; isQuiet?: boolean }

const RetractForm = ({ handle, id, onClose }: Omit<RetractProps, 'isQuiet'> & { onClose: () => void }) => {
  const { client, organization } = useSession()
  const cache = useQueryClient()
  const [staged, setStaged] = useState<string>()
  const form = useContractForm({
    initial: { reason: '' },
    contract: async () => (await import('@noema/contracts/statements.ts')).retractStatement.body,
    toBody: ({ reason }) => (reason.trim() === '' ? {} : { reason: reason.trim() }),
    submit: async (body) => {
      const { outcome, change } = await client.brain(handle).statements.retract(id, body)
      await cache.invalidateQueries({ queryKey: [organization.id, 'brain', handle] })
      if (outcome === 'staged') setStaged(change.id)
      else onClose()
    },
  })
  if (staged !== undefined) return <StagedNotice handle={handle} what="The retraction" change={staged} />
  return (
    <Form form={form} submit="Retract statement" tone="danger" onCancel={onClose}>
      <p>
        “<ItemName handle={handle} item={{ type: 'statement', id }} />” no longer holds in this Brain. It can still be
        read, and a revert asserts it again.
      </p>
      <form.TextArea label="Reason" name="reason" rows={2} hint="Optional. Readers of the statement see it." />
    </Form>
  )
}

/** Retracts a statement, with a reason. */
export const RetractStatement = ({ isQuiet = false, ...statement }: RetractProps) => {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button size="small" tone={isQuiet ? 'quiet' : 'plain'} onClick={() => setOpen(true)}>
        Retract
      </Button>
      <Dialog isOpen={isOpen} title="Retract this statement?" size="small" onClose={close}>
        <RetractForm {...statement} onClose={close} />
      </Dialog>
    </>
  )
}
