import { useState } from 'react'
import { Checkbox, RadioGroup, Switch } from '../components/choices.tsx'
import { Combobox } from '../components/combobox.tsx'
import { Select } from '../components/field.tsx'
import { Form } from '../components/form/form.tsx'
import { FieldProblem } from '../components/form/problems.ts'
import { useContractForm } from '../components/form/use-contract-form.ts'
import { Panel } from '../components/panel.tsx'
import { Progress } from '../components/progress.tsx'
import { SearchInput } from '../components/search-input.tsx'

const modes = [
  { value: 'direct', name: 'Direct', hint: 'Writes are applied at once.' },
  { value: 'review', name: 'Review', hint: 'Writes wait for a decision.' },
] as const

const Choices = () => {
  const [isOn, setOn] = useState(true)
  const [mode, setMode] = useState<'direct' | 'review'>('direct')
  const [kind, setKind] = useState<string>()
  return (
    <>
      <Checkbox label="Also retired ones" checked={isOn} onChange={setOn} />
      <Checkbox label="Some" checked={false} isMixed onChange={setOn} />
      <Switch label="Hold" checked={isOn} onChange={setOn} hint="It can be read, not written." />
      <RadioGroup label="Mode" options={modes} value={mode} onChange={setMode} />
      <RadioGroup
        label="Mode, short"
        options={modes.map(({ value, name }) => ({ value, name }))}
        value={mode}
        onChange={setMode}
        isSegments
      />
      <Select label="Mode, in a list" options={modes} value={mode} onChange={setMode} />
      <Combobox
        label="Kind"
        items={['person', 'place', 'project'].map((value) => ({ value, name: value }))}
        value={kind}
        onChange={setKind}
        placeholder="Any"
      />
      <SearchInput label="Find" value="" onChange={() => {}} />
      <Progress label="Export" value={0.4} />
    </>
  )
}

/** A form whose handle is always taken, with the number of its submissions. */
const SampleForm = () => {
  const [sent, setSent] = useState(0)
  const form = useContractForm({
    initial: { handle: '', name: '', depth: '2', purpose: '' },
    contract: async () => (await import('@noema/contracts/brains.ts')).patchBrain.body,
    toBody: ({ name, purpose }) => ({ name, purpose }),
    submit: async () => {
      setSent((before) => before + 1)
      throw new FieldProblem('handle', 'This handle is taken.')
    },
  })
  return (
    <Form form={form} submit="Create" aside={<span className="muted">Sent {sent}</span>}>
      <form.Text label="Handle" name="handle" hint="a-z, 0-9 and -." isMono />
      <form.Text label="Name" name="name" />
      <form.Number label="Depth" name="depth" min={1} max={6} />
      <form.TextArea label="Purpose" name="purpose" rows={2} />
    </Form>
  )
}

/** Inputs and choices. */
export const Inputs = () => (
  <div className="columns">
    <Panel title="A form">
      <SampleForm />
    </Panel>
    <Panel title="Choices">
      <Choices />
    </Panel>
  </div>
)
