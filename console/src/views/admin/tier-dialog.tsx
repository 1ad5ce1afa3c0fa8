import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import { type FormEvent, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FailureNotice } from '../../components/notice.tsx'
import { showToast } from '../../components/toast.ts'
import { useAction } from '../../components/use-action.ts'
import { type Tier, useAdminRefresh } from '../../data/admin.ts'
import { useSession } from '../../session/session.tsx'
import { TierChoice } from './tier-choice.tsx'

type TierDialogProps = { organization: AdministeredOrganization; onClose: () => void }

/** Gives an organization another tier. */
export const TierDialog = ({ organization, onClose }: TierDialogProps) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const [tier, setTier] = useState<Tier>(organization.tier)
  const { run, isRunning, error } = useAction(async () => {
    await session.client.admin.setBillingTier({ tenantId: organization.id, tier })
    showToast({ tone: 'good', title: `${organization.name} is on the tier ${tier}` })
    onClose()
    await refresh()
  })
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!isRunning) void run()
  }
  return (
    <Dialog isOpen title={`Tier of ${organization.name}`} onClose={onClose} size="small">
      <form className="form" onSubmit={send}>
        <p>It counts from the organization’s next request on, and stands in its audit log.</p>
        <TierChoice value={tier} onChange={setTier} />
        <FailureNotice error={error} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" isBusy={isRunning}>
            Set tier
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
