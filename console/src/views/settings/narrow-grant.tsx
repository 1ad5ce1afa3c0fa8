import type { AppCapability } from '@noema/contracts/apps.ts'
import { useState } from 'react'
import { Checkbox } from '../../components/choices.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useSession } from '../../session/session.tsx'
import type { GrantOfApp } from './apps.tsx'

type NarrowProps = { row: GrantOfApp; onClose: () => void; onDone: () => void }

/** Takes capabilities from an app. Only a new consent gives them back. */
export const NarrowGrant = ({ row, onClose, onDone }: NarrowProps) => {
  const { client } = useSession()
  const [kept, setKept] = useState<readonly AppCapability[]>(row.capabilities)
  const narrow = async () => {
    await client.apps.grants.narrow(row.app.id, row.id, { capabilities: [...kept] })
    onDone()
  }
  return (
    <ConfirmDialog
      isOpen
      title={`Narrow ${row.app.name}`}
      confirm="Keep only these"
      onConfirm={narrow}
      onClose={onClose}
    >
      <p>Choose what the app keeps. To get the rest back, it must ask for consent again.</p>
      {row.capabilities.map((name) => (
        <Checkbox
          key={name}
          label={name}
          checked={kept.includes(name)}
          onChange={(isOn) => setKept(row.capabilities.filter((one) => (one === name ? isOn : kept.includes(one))))}
        />
      ))}
    </ConfirmDialog>
  )
}
