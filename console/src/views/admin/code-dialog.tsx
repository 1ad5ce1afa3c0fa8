import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { showToast } from '../../components/toast.ts'
import { type Tier, useAdminRefresh } from '../../data/admin.ts'
import { useSession } from '../../session/session.tsx'
import { TierChoice } from './tier-choice.tsx'

const proposeCode = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => (byte % 36).toString(36)).join('')

type Values = { code: string; tier: Tier; label: string; maxUses: string; expiresAt: string }

const toBody = ({ code, tier, label, maxUses, expiresAt }: Values) => ({
  code,
  tier,
  ...(label && { label }),
  ...(maxUses && { maxUses: Number(maxUses) }),
  // The code works until the end of the chosen day, in the administrator's time zone.
  ...(expiresAt && { expiresAt: new Date(`${expiresAt}T23:59:59`).toISOString() }),
})

/** Creates a code that gives its tier to everyone who signs up with it. */
export const CodeDialog = ({ onClose }: { onClose: () => void }) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const [proposed] = useState(proposeCode)
  const form = useContractForm({
    initial: { code: proposed, tier: 'business', label: '', maxUses: '', expiresAt: '' } as Values,
    contract: async () => (await import('@noema/contracts/admin.ts')).createInvitationCode.body,
    toBody,
    submit: async (body) => {
      const { code } = await session.client.admin.invitationCodes.create(body)
      showToast({ tone: 'good', title: `Code ${code.code} created` })
      onClose()
      await refresh()
    },
  })
  return (
    <Dialog isOpen title="New code" onClose={onClose} size="small">
      <Form form={form} submit="Create code" onCancel={onClose}>
        <form.Text
          label="Code"
          name="code"
          required
          isMono
          autoComplete="off"
          hint="Anyone who knows the code can use it."
        />
        <form.Text label="Label" name="label" hint="A note for you, such as the recipient." autoComplete="off" />
        <TierChoice form={form} />
        <div className="field-pair">
          <form.Number label="Uses" name="maxUses" min={1} hint="Unlimited if empty." />
          <form.Date label="Last day" name="expiresAt" hint="Never expires if empty." />
        </div>
      </Form>
    </Dialog>
  )
}
