import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { DialogForm } from '../../components/dialog-form.tsx'
import { NumberInput, TextInput, textIn } from '../../components/field.tsx'
import { showToast } from '../../components/toast.ts'
import { type Tier, useAdminRefresh } from '../../data/admin.ts'
import { useSession } from '../../session/session.tsx'
import { TierChoice } from './tier-choice.tsx'

const proposeCode = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(10)), (byte) => (byte % 36).toString(36)).join('')

const readCode = (form: FormData, tier: Tier) => {
  const [label, uses, ends] = [textIn(form, 'label'), textIn(form, 'maxUses'), textIn(form, 'expiresAt')]
  return {
    code: textIn(form, 'code'),
    tier,
    ...(label && { label }),
    ...(uses && { maxUses: Number(uses) }),
    // A day is chosen, and the code works until its end where the administrator is.
    ...(ends && { expiresAt: new Date(`${ends}T23:59:59`).toISOString() }),
  }
}

/** Makes a code that gives a tier at sign-up. */
export const CodeDialog = ({ onClose }: { onClose: () => void }) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const [tier, setTier] = useState<Tier>('business')
  const [proposed] = useState(proposeCode)
  const save = async (form: FormData) => {
    const { code } = await session.client.admin.invitationCodes.create(readCode(form, tier))
    showToast({ tone: 'good', title: `The code ${code.code} works` })
    onClose()
    await refresh()
  }
  return (
    <Dialog isOpen title="New code" onClose={onClose} size="small">
      <DialogForm submit="Make code" onSubmit={save} onClose={onClose}>
        <TextInput
          label="Code"
          name="code"
          defaultValue={proposed}
          required
          maxLength={100}
          isMono
          autoComplete="off"
          hint="Whoever knows it may use it."
        />
        <TextInput label="Label" name="label" maxLength={200} hint="For you: whom it is for." autoComplete="off" />
        <TierChoice value={tier} onChange={setTier} />
        <div className="field-pair">
          <NumberInput label="Uses" name="maxUses" min={1} max={2_147_483_647} hint="Any number if empty." />
          <TextInput label="Last day" name="expiresAt" type="date" hint="None if empty." />
        </div>
      </DialogForm>
    </Dialog>
  )
}
