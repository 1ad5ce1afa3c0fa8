import { useState } from 'react'
import { Button, type ButtonLook } from '../../components/button.tsx'
import { later } from '../../components/later.tsx'
import type { LearnedFrom } from './distill-dialog.tsx'

const DistillDialog = later(async () => (await import('./distill-dialog.tsx')).DistillDialog)

type Props = ButtonLook & { from: LearnedFrom; label: string }

/** A button that starts a distillation of runs. */
export const Learn = ({ from, label, ...look }: Props) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...look} onClick={() => setOpen(true)}>
        {label}
      </Button>
      {isOpen && <DistillDialog from={from} onClose={() => setOpen(false)} />}
    </>
  )
}
