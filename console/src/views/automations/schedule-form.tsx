import type { Agent } from '@noema/contracts/agents.ts'
import { isObject } from '@noema/contracts/json.ts'
import type { InputMessage } from '@noema/contracts/messages.ts'
import type { RunInput } from '@noema/contracts/runs.ts'
import type { Schedule } from '@noema/contracts/schedules.ts'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, RadioGroup } from '../../components/choices.tsx'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Select, TextArea, textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAgentList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { CronInput } from './cron-input.tsx'
import { Missing } from './trigger-form.tsx'
import { useAutomationsRefresh } from './use-automation-acts.ts'

type InputForm = 'text' | 'messages'

const inputForms = [
  { value: 'text', name: 'Text' },
  { value: 'messages', name: 'Messages' },
] as const satisfies readonly { value: InputForm; name: string }[]

const isMessages = (value: unknown): value is InputMessage[] => Array.isArray(value) && value.every(isObject)

/** What was typed, as the API has it. Whether messages are what they should be is said by the service. */
const readInput = (text: string, form: InputForm): RunInput => {
  if (form === 'text') return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new Error(`The messages are not JSON: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause })
  }
  if (isMessages(value)) return value
  throw new Error('Messages are a JSON list, such as [{ "role": "user", "text": "What is new?" }].')
}

type Choice = { agentId: string; cron: string; timezone: string; inputForm: InputForm; enabled: boolean }

const localTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const timezones = (): string[] => [...new Set(['UTC', localTimezone(), ...Intl.supportedValuesOf('timeZone')])]

type FormProps = {
  schedule: Schedule | undefined
  agents: readonly Agent[]
  agentId?: string | undefined
  onClose: () => void
}

const toFirstChoice = ({ schedule, agents, agentId }: FormProps): Choice => ({
  agentId: schedule?.agentId ?? agentId ?? agents[0]?.id ?? '',
  cron: schedule?.cron ?? '0 9 * * 1-5',
  timezone: schedule?.timezone ?? localTimezone(),
  inputForm: Array.isArray(schedule?.input) ? 'messages' : 'text',
  enabled: schedule?.enabled ?? true,
})

const toInputText = (input: RunInput | undefined): string | undefined =>
  input === undefined || typeof input === 'string' ? input : JSON.stringify(input, null, 2)

const useSave = (schedule: Schedule | undefined, onClose: () => void) => {
  const { client } = useSession()
  const refresh = useAutomationsRefresh()
  return async (form: FormData, { inputForm, ...choice }: Choice) => {
    const body = { ...choice, input: readInput(textIn(form, 'input'), inputForm) }
    if (schedule) await client.schedules.patch(schedule.id, body)
    else await client.schedules.create(body)
    await refresh()
    onClose()
  }
}

const ScheduleForm = (props: FormProps) => {
  const { schedule, agents, onClose } = props
  const [choice, setChoice] = useState(() => toFirstChoice(props))
  const save = useSave(schedule, onClose)
  const set = (part: Partial<Choice>) => setChoice((before) => ({ ...before, ...part }))
  const options = [
    ...agents.map(({ id, name }) => ({ value: id, name })),
    ...(agents.some(({ id }) => id === choice.agentId) ? [] : [{ value: choice.agentId, name: 'An archived agent' }]),
  ]
  return (
    <Form
      submit={schedule ? 'Save schedule' : 'Create schedule'}
      onSubmit={(form) => save(form, choice)}
      aside={<Button onClick={onClose}>Cancel</Button>}
    >
      <Select label="Agent" options={options} value={choice.agentId} onChange={(agentId) => set({ agentId })} />
      <CronInput cron={choice.cron} timezone={choice.timezone} onChange={(cron) => set({ cron })}>
        <Combobox
          label="Time zone"
          items={timezones().map((name) => ({ value: name, name }))}
          value={choice.timezone}
          onChange={(timezone = 'UTC') => set({ timezone })}
        />
      </CronInput>
      <RadioGroup
        label="Input"
        options={inputForms}
        value={choice.inputForm}
        onChange={(inputForm) => set({ inputForm })}
        isSegments
      />
      <TextArea
        label={choice.inputForm === 'text' ? 'What each run is asked' : 'Messages as JSON'}
        name="input"
        rows={choice.inputForm === 'text' ? 3 : 6}
        required
        isMono={choice.inputForm === 'messages'}
        defaultValue={toInputText(schedule?.input)}
        placeholder={choice.inputForm === 'text' ? '' : '[{ "role": "user", "text": "What is new?" }]'}
      />
      <Checkbox label="Enabled" checked={choice.enabled} onChange={(enabled) => set({ enabled })} />
    </Form>
  )
}

type DialogProps = { schedule?: Schedule; agentId?: string; onClose: () => void }

/** A schedule: made anew, or changed. */
export const ScheduleDialog = ({ schedule, agentId, onClose }: DialogProps) => {
  const agents = useAgentList()
  const isMissing = schedule === undefined && agents?.length === 0
  return (
    <Dialog isOpen title={schedule ? 'Change schedule' : 'New schedule'} onClose={onClose}>
      {!agents && <Skeleton lines={8} />}
      {isMissing && <Missing what="agent" />}
      {agents && !isMissing && <ScheduleForm {...{ schedule, agents, agentId, onClose }} />}
    </Dialog>
  )
}
