import type { SchemaOperation } from '@noema/contracts/schema.ts'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'

type AddKindProps = {
  onStep: (step: SchemaOperation) => void
  onClose: () => void
  /** The label of the button. */
  submit?: string
}

const AddKind = ({ onStep, onClose, submit = 'Add to the proposal' }: AddKindProps) => {
  const form = useContractForm({
    initial: { kind: '', title: '', description: '' },
    contract: async () => (await import('@noema/contracts/schema.ts')).schemaOperation,
    toBody: ({ kind, title, description }) => ({
      ...{ op: 'addKind' as const, kind, title: title || null, description: description || null },
    }),
    submit: async (step) => {
      onStep(step)
      onClose()
    },
  })
  return (
    <Form form={form} submit={submit} onCancel={onClose}>
      <form.Text
        label="Kind"
        name="kind"
        isMono
        required
        hint="Starts with a letter: person, invoice"
        autoComplete="off"
      />
      <form.Text label="Title" name="title" />
      <form.Text label="Description" name="description" />
    </Form>
  )
}

/** The button that adds a kind. */
export const NewKind = ({ onStep, submit }: Omit<AddKindProps, 'onClose'>) => {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button size="small" tone="primary" onClick={() => setOpen(true)}>
        New kind
      </Button>
      <Dialog isOpen={isOpen} title="New kind" onClose={close}>
        <AddKind onStep={onStep} onClose={close} {...(submit !== undefined && { submit })} />
      </Dialog>
    </>
  )
}
