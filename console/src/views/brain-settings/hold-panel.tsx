import type { BrainDetail } from '@noema/contracts/brains.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { KeyValues } from '../../components/key-values.tsx'
import { Panel } from '../../components/panel.tsx'
import { Time } from '../../components/time.tsx'
import { holdBrain, releaseBrain } from '../../data/brain-settings.ts'
import { Who } from '../../items/who.tsx'
import { useSession } from '../../session/session.tsx'

type Hold = NonNullable<BrainDetail['hold']>

const effects =
  'During a hold, the Brain can be read and searched, but nothing in it can be written, published or deleted, and it cannot be deleted itself. Changes can be decided; approved ones wait for the release.'

type Given = { brain: BrainDetail; onClose: () => void }

const ReasonDialog = ({ brain: { handle, hold }, onClose }: Given) => {
  const session = useSession()
  const queries = useQueryClient()
  const form = useContractForm({
    initial: { reason: hold?.reason ?? '' },
    contract: async () => (await import('@noema/contracts/holds.ts')).holdBrain.body,
    toBody: ({ reason }) => ({ reason: reason.trim() }),
    submit: async ({ reason }) => {
      await holdBrain(queries, session, handle, reason)
      onClose()
    },
  })
  return (
    <Dialog
      isOpen
      title={hold ? 'Reason for the hold' : `Place a hold on ${handle}?`}
      description={hold ? undefined : effects}
      onClose={onClose}
    >
      <Form form={form} submit={hold ? 'Save' : 'Place hold'} onCancel={onClose}>
        <form.TextArea label="Reason" name="reason" hint="Everyone who reads the Brain sees it." required rows={3} />
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
      <p>The Brain accepts writes again. Changes that were approved during the hold are published now.</p>
    </ConfirmDialog>
  )
}

const HoldFacts = ({ hold }: { hold: Hold }) => (
  <KeyValues
    items={[
      ['Reason', hold.reason],
      ['Since', <Time key="since" iso={hold.since} />],
      ['Placed by', <Who key="by" id={hold.byActor?.userId ?? hold.by} />],
    ]}
  />
)

/** The hold of a Brain: its reason, start and author. Places and releases it. */
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
      {hold ? <HoldFacts hold={hold} /> : <p className="muted">{effects}</p>}
      {asked === 'reason' && <ReasonDialog brain={brain} onClose={close} />}
      {asked === 'release' && <ReleaseDialog brain={brain} onClose={close} />}
    </Panel>
  )
}
