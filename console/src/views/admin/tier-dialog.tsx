import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { DialogForm } from '../../components/dialog-form.tsx'
import { showToast } from '../../components/toast.ts'
import { type Tier, useAdminRefresh } from '../../data/admin.ts'
import { useSession } from '../../session/session.tsx'
import { TierChoice } from './tier-choice.tsx'

type TierDialogProps = { organization: AdministeredOrganization; onClose: () => void }

/** Gives an organization another tier. */
export const TierDialog = ({ organization, onClose }: TierDialogProps) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const [tier, setTier] = useState<Tier>(organization.tier)
  const save = async () => {
    await session.client.admin.setBillingTier({ tenantId: organization.id, tier })
    showToast({ tone: 'good', title: `${organization.name} is on the tier ${tier}` })
    onClose()
    await refresh()
  }
  return (
    <Dialog isOpen title={`Tier of ${organization.name}`} onClose={onClose} size="small">
      <DialogForm submit="Set tier" onSubmit={save} onClose={onClose}>
        <p>It counts from the organization’s next request on, and stands in its audit log.</p>
        <TierChoice value={tier} onChange={setTier} />
      </DialogForm>
    </Dialog>
  )
}
