import { useState } from 'react'
import { Button, IconButton } from '../components/button.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Dialog, Drawer } from '../components/dialog.tsx'
import { TextInput } from '../components/field.tsx'
import { LinkButton } from '../components/link-button.tsx'
import { Menu } from '../components/menu.tsx'
import { Panel } from '../components/panel.tsx'
import { Popover, Tooltip } from '../components/popover.tsx'
import { Tabs } from '../components/tabs.tsx'
import { showFailure, showToast } from '../components/toast.ts'

const nothing = () => {}

const Buttons = () => (
  <p className="actions">
    <Button>Plain</Button>
    <Button tone="primary" icon="plus">
      Primary
    </Button>
    <Button tone="danger">Danger</Button>
    <Button tone="quiet">Quiet</Button>
    <Button isBusy>Busy</Button>
    <Button disabled>Disabled</Button>
    <Button size="small">Small</Button>
    <LinkButton to="." icon="graph">
      Link
    </LinkButton>
    <Tooltip text="Asks again">
      <IconButton icon="refresh" label="Refresh" />
    </Tooltip>
  </p>
)

const Over = () => {
  const [open, setOpen] = useState<'dialog' | 'drawer' | 'question'>()
  const close = () => setOpen(undefined)
  return (
    <p className="actions">
      <Button onClick={() => setOpen('dialog')}>Open a dialog</Button>
      <Button onClick={() => setOpen('drawer')}>Open a drawer</Button>
      <Button onClick={() => setOpen('question')}>Ask first</Button>
      <Menu
        trigger={<Button icon="more">Menu</Button>}
        items={[
          { group: 'Of this Brain' },
          { name: 'Rename', icon: 'edit', onSelect: nothing },
          { name: 'Export', icon: 'download', onSelect: nothing, why: 'Your role lacks this.' },
          'line',
          { name: 'Delete', icon: 'trash', tone: 'danger', onSelect: nothing },
        ]}
      />
      <Popover trigger={<Button icon="filter">Filter</Button>} label="Filter">
        The content.
      </Popover>
      <Button onClick={() => showToast({ tone: 'good', title: 'Published', text: 'Change 12 is live.' })}>Toast</Button>
      <Button onClick={() => showFailure(new Error('The service cannot be reached.'), 'Not published')}>Failure</Button>
      <Dialog
        isOpen={open === 'dialog'}
        title="Create a Brain"
        description="One knowledge store."
        onClose={close}
        footer={<Button onClick={close}>Cancel</Button>}
      >
        <TextInput label="Handle" />
      </Dialog>
      <Drawer isOpen={open === 'drawer'} title="A record" onClose={close}>
        <p>Its fields.</p>
      </Drawer>
      <ConfirmDialog
        isOpen={open === 'question'}
        title="Delete handbook?"
        confirm="Delete Brain"
        typed="handbook"
        onConfirm={async () => {
          throw new Error('It is held.')
        }}
        onClose={close}
      >
        <p>Everything in it goes, and cannot be brought back.</p>
      </ConfirmDialog>
    </p>
  )
}

/** Interactive components: buttons, menus, dialogs, tabs, toasts. */
export const Acts = () => {
  const [tab, setTab] = useState<'fields' | 'history'>('fields')
  return (
    <div className="columns">
      <Panel title="Buttons">
        <Buttons />
      </Panel>
      <Panel title="Over the page">
        <Over />
      </Panel>
      <Panel title="Tabs">
        <Tabs
          label="Of this record"
          value={tab}
          onChange={setTab}
          tabs={[
            { value: 'fields', name: 'Fields', count: 7, content: () => <p>Seven fields.</p> },
            { value: 'history', name: 'History', content: () => <p>Two versions.</p> },
          ]}
        />
      </Panel>
    </div>
  )
}
