import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

type ConfirmButtonProps = {
  /** The word of the button, such as Delete. */
  label: string
  /** The question, and the words of the answer that does it. */
  title: string
  confirm: string
  onConfirm: () => Promise<void>
  /** The consequences. */
  children: ReactNode
}

/** A button that asks before it does what is not easily undone. */
export const ConfirmButton = ({ label, title, confirm, onConfirm, children }: ConfirmButtonProps) => {
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button size="small" onClick={() => setAsked(true)}>
        {label}
      </Button>
      <ConfirmDialog
        isOpen={isAsked}
        title={title}
        confirm={confirm}
        onConfirm={onConfirm}
        onClose={() => setAsked(false)}
      >
        {children}
      </ConfirmDialog>
    </>
  )
}
