import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'

type ConfirmButtonProps = {
  /** The label of the button, such as Delete. */
  label: string
  /** The question, and the label of the button that confirms. */
  title: string
  confirm: string
  size?: 'normal' | 'small'
  onConfirm: () => Promise<void>
  /** The consequences. */
  children: ReactNode
}

/** A button that asks for confirmation before an act that is hard to undo. */
export const ConfirmButton = ({ label, title, confirm, size = 'small', onConfirm, children }: ConfirmButtonProps) => {
  const [isAsked, setAsked] = useState(false)
  return (
    <>
      <Button size={size} onClick={() => setAsked(true)}>
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
