import { useState } from 'react'
import { Checkbox, RadioGroup, Switch } from '../components/choices.tsx'
import { Combobox } from '../components/combobox.tsx'
import { NumberInput, Select, TextArea, TextInput } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
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

/** What is filled in and chosen. */
export const Inputs = () => (
  <div className="columns">
    <Panel title="A form">
      <Form submit="Create" onSubmit={async () => Promise.reject(new Error('That handle is taken.'))}>
        <TextInput label="Handle" name="handle" hint="a-z, 0-9 and -." isMono />
        <TextInput label="Name" name="name" error="It may not be empty." />
        <NumberInput label="Depth" name="depth" min={1} max={6} defaultValue={2} />
        <TextArea label="Purpose" name="purpose" rows={2} />
      </Form>
    </Panel>
    <Panel title="Choices">
      <Choices />
    </Panel>
  </div>
)
