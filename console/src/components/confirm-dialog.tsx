import type { ReactNode } from 'react'
import { Dialog } from './dialog.tsx'
import { Form } from './form/form.tsx'
import { useContractForm, useFormValue } from './form/use-contract-form.ts'

type ConfirmDialogProps = {
  isOpen: boolean
  title: string
  /** The label of the button: the act, not "OK". */
  confirm: string
  tone?: 'danger' | 'primary'
  /** The name that must be typed first, for an act that destroys a lot. */
  typed?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
  /** The consequences, and whether they can be undone. */
  children: ReactNode
}

const Question = ({ confirm, tone = 'danger', typed, onConfirm, onClose, children }: ConfirmDialogProps) => {
  const form = useContractForm({
    initial: { text: '' },
    toBody: () => undefined,
    submit: async () => {
      await onConfirm()
      onClose()
    },
  })
  const text = useFormValue(form, 'text')
  return (
    <Form form={form} submit={confirm} tone={tone} isReady={typed === undefined || text === typed} onCancel={onClose}>
      <div className="dialog-text">{children}</div>
      {typed !== undefined && (
        <form.Text label={`Type ${typed} to confirm`} name="text" autoComplete="off" spellCheck={false} isMono />
      )}
    </Form>
  )
}

/** Asks for confirmation before an act that cannot be undone, waits for it, and shows its error. */
export const ConfirmDialog = (props: ConfirmDialogProps) => (
  <Dialog isOpen={props.isOpen} title={props.title} onClose={props.onClose} size="small" isForgetful>
    <Question {...props} />
  </Dialog>
)
