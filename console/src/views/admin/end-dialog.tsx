import type { AdministeredOrganization } from '@noema/contracts/admin.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { showToast } from '../../components/toast.ts'
import { organizationEndQuery, useAdminRefresh } from '../../data/admin.ts'
import { useSession } from '../../session/session.tsx'
import { Contents } from '../settings/contents.tsx'

type EndDialogProps = { organization: AdministeredOrganization; onClose: () => void }

const useDeletion = ({ id, name }: AdministeredOrganization) => {
  const session = useSession()
  const refresh = useAdminRefresh(session)
  const navigate = useNavigate()
  return useContractForm({
    initial: { confirm: '', reason: '' },
    contract: async () => (await import('@noema/contracts/administered-organizations.ts')).endOrganization.body,
    toBody: ({ confirm, reason }) => ({ confirm, ...(reason && { reason }) }),
    submit: async (body) => {
      await session.client.admin.organizations.end(id, body)
      showToast({ tone: 'good', title: `${name} deleted`, text: 'Its data is erased in the background.' })
      await navigate({ to: '/admin/organizations' })
      await refresh()
    },
  })
}

/** Deletes an organization, after a preview and a confirmation by its name. */
export const EndDialog = ({ organization, onClose }: EndDialogProps) => {
  const { data: preview, error } = useQuery(organizationEndQuery(useSession(), organization.id))
  const form = useDeletion(organization)
  const isConfirmed = useFormValue(form, 'confirm') === organization.name
  const isHeld = (preview?.heldBrains ?? 0) > 0
  return (
    <Dialog isOpen title={`Delete ${organization.name}`} onClose={onClose}>
      <Form
        form={form}
        submit="Delete organization"
        tone="danger"
        isReady={preview !== undefined && !isHeld && isConfirmed}
        onCancel={onClose}
      >
        <p>This permanently erases:</p>
        {preview ? <Contents takes={preview.takes} /> : !error && <Skeleton lines={3} />}
        <FailureNotice error={error} />
        {isHeld && (
          <Notice tone="warning" title="A hold prevents the deletion">
            <p>{preview?.heldBrains} of its Brains are on hold. Its members must release them first.</p>
          </Notice>
        )}
        <form.TextArea
          label="Reason"
          name="reason"
          hint="Emailed to its owners, and kept in the log of administrator events."
          rows={3}
        />
        <form.Text
          label={`Type ${organization.name} to confirm`}
          name="confirm"
          autoComplete="off"
          spellCheck={false}
          isMono
        />
      </Form>
    </Dialog>
  )
}
