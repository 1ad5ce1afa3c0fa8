import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextArea, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { KeyValues } from '../../components/key-values.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { holdBrain, releaseBrain } from '../../data/brain-settings.ts'
import { Who } from '../../items/who.tsx'
import { useSession } from '../../session/session.tsx'

type Hold = NonNullable<BrainDetail['hold']>

const effects =
  'Held, it is read and searched as before, but nothing is written, published or deleted in it, nor is it deleted itself. Changes can be decided; those that are approved wait for the release.'

type Given = { brain: BrainDetail; onClose: () => void }

const ReasonDialog = ({ brain: { handle, hold }, onClose }: Given) => {
  const session = useSession()
  const queries = useQueryClient()
  const place = async (form: FormData) => {
    await holdBrain(queries, session, handle, textIn(form, 'reason').trim())
    onClose()
  }
  return (
    <Dialog
      isOpen
      title={hold ? 'Why it is held' : `Hold ${handle}?`}
      description={hold ? undefined : effects}
      onClose={onClose}
    >
      <Form submit={hold ? 'Save' : 'Place hold'} onSubmit={place} aside={<Button onClick={onClose}>Cancel</Button>}>
        <TextArea
          label="Reason"
          name="reason"
          defaultValue={hold?.reason}
          hint="Shown to everybody who reads the Brain."
          required
          maxLength={2000}
          rows={3}
        />
      </Form>
    </Dialog>
  )
}

const ReleaseDialog = ({ brain: { handle }, onClose }: Given) => {
  const session = useSession()
  const queries = useQueryClient()
  return (
    <ConfirmDialog
      isOpen
      title={`Release ${handle}?`}
      confirm="Release"
      tone="primary"
      onConfirm={() => releaseBrain(queries, session, handle)}
      onClose={onClose}
    >
      <p>It can be written to again, and changes that were approved meanwhile are published now.</p>
    </ConfirmDialog>
  )
}

const Standing = ({ hold }: { hold: Hold }) => (
  <KeyValues
    items={[
      ['Reason', hold.reason],
      ['Since', <Time key="since" iso={hold.since} />],
      ['Placed by', <Who key="by" id={hold.byActor?.userId ?? hold.by} />],
    ]}
  />
)

/** Whether the Brain is held, why, since when and by whom; how it is held and released. */
export const HoldPanel = ({ brain }: { brain: BrainDetail }) => {
  const [asked, setAsked] = useState<'reason' | 'release'>()
  const close = () => setAsked(undefined)
  const { hold } = brain
  return (
    <Panel
      title="Hold"
      description={hold ? 'read-only' : 'none'}
      actions={
        <>
          <Button size="small" onClick={() => setAsked('reason')}>
            {hold ? 'Change the reason' : 'Place a hold'}
          </Button>
          {hold && (
            <Button size="small" onClick={() => setAsked('release')}>
              Release
            </Button>
          )}
        </>
      }
    >
      {hold ? <Standing hold={hold} /> : <p className="muted">{effects}</p>}
      {asked === 'reason' && <ReasonDialog brain={brain} onClose={close} />}
      {asked === 'release' && <ReleaseDialog brain={brain} onClose={close} />}
    </Panel>
  )
}
