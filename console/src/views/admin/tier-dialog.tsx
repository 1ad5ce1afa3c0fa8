import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { showToast } from '../../components/toast.ts'
import { type Tier, useAdminRefresh } from '../../data/admin.ts'
import { useSession } from '../../session/session.tsx'
import { TierChoice } from './tier-choice.tsx'

type TierDialogProps = { organization: AdministeredOrganization; onClose: () => void }

/** Changes the tier of an organization. */
export const TierDialog = ({ organization, onClose }: TierDialogProps) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const form = useContractForm({
    initial: { tier: organization.tier as Tier },
    contract: async () => (await import('@noema/contracts/admin.ts')).setBillingTier.body,
    toBody: ({ tier }) => ({ tenantId: organization.id, tier }),
    submit: async (body) => {
      await session.client.admin.setBillingTier(body)
      showToast({ tone: 'good', title: `${organization.name} is now on the ${body.tier} tier` })
      onClose()
      await refresh()
    },
  })
  return (
    <Dialog isOpen title={`Tier of ${organization.name}`} onClose={onClose} size="small">
      <Form form={form} submit="Set tier" onCancel={onClose}>
        <p>The tier applies from the organization’s next request. The change is recorded in its audit log.</p>
        <TierChoice form={form} />
      </Form>
    </Dialog>
  )
}
