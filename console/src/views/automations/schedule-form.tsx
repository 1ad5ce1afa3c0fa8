import type { Agent } from '@noema/contracts/agents.ts'
import { isObject } from '@noema/contracts/json.ts'
import type { InputMessage } from '@noema/contracts/messages.ts'
import type { RunInput } from '@noema/contracts/runs.ts'
import type { Schedule } from '@noema/contracts/schedules.ts'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAgentList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { CronInput } from './cron-input.tsx'
import { Missing, toAgentOptions } from './trigger-form.tsx'
import { useAutomationsRefresh } from './use-automation-acts.ts'

type InputForm = 'text' | 'messages'

const inputForms = [
  { value: 'text', name: 'Text' },
  { value: 'messages', name: 'Messages' },
] as const satisfies readonly { value: InputForm; name: string }[]

const isMessages = (value: unknown): value is InputMessage[] => Array.isArray(value) && value.every(isObject)

/** The typed input as the API takes it. The contract checks each message. */
const readInput = (text: string, form: InputForm): RunInput => {
  if (form === 'text') return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new FieldProblem('input', `This is not JSON: ${reason}.`, { cause })
  }
  if (isMessages(value)) return value
  throw new FieldProblem('input', 'Enter a JSON list, such as [{ "role": "user", "text": "What is new?" }].')
}

type Values = {
  agentId: string
  cron: string
  timezone: string
  inputForm: InputForm
  input: string
  enabled: boolean
}

const localTimezone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const timezones = (): string[] => [...new Set(['UTC', localTimezone(), ...Intl.supportedValuesOf('timeZone')])]

type FormProps = {
  schedule: Schedule | undefined
  agents: readonly Agent[]
  agentId?: string | undefined
  onClose: () => void
}

const toValues = ({ schedule, agents, agentId }: FormProps): Values => ({
  agentId: schedule?.agentId ?? agentId ?? agents[0]?.id ?? '',
  cron: schedule?.cron ?? '0 9 * * 1-5',
  timezone: schedule?.timezone ?? localTimezone(),
  inputForm: Array.isArray(schedule?.input) ? 'messages' : 'text',
  input: toInputText(schedule?.input),
  enabled: schedule?.enabled ?? true,
})

const toInputText = (input: RunInput = ''): string =>
  typeof input === 'string' ? input : JSON.stringify(input, null, 2)

const useSave = (props: FormProps) => {
  const { client } = useSession()
  const refresh = useAutomationsRefresh()
  const { schedule, onClose } = props
  return useContractForm({
    initial: toValues(props),
    contract: async () => (await import('@noema/contracts/schedules.ts')).patchSchedule.body,
    toBody: ({ inputForm, input, ...values }) => ({ ...values, input: readInput(input, inputForm) }),
    edits: schedule && {},
    submit: async (body, _values, changed) => {
      if (schedule) await client.schedules.patch(schedule.id, changed)
      else await client.schedules.create(body)
      await refresh()
      onClose()
    },
  })
}

const ScheduleForm = (props: FormProps) => {
  const { schedule, agents, onClose } = props
  const form = useSave(props)
  const isText = useFormValue(form, 'inputForm') === 'text'
  return (
    <Form form={form} submit={schedule ? 'Save schedule' : 'Create schedule'} onCancel={onClose}>
      <form.Select label="Agent" name="agentId" options={toAgentOptions(agents, useFormValue(form, 'agentId'))} />
      <CronInput form={form}>
        <form.Field name="timezone" hasOwnError>
          {({ value, set, error }) => (
            <Combobox
              label="Time zone"
              items={timezones().map((name) => ({ value: name, name }))}
              value={value}
              error={error}
              onChange={(timezone = 'UTC') => set(timezone)}
            />
          )}
        </form.Field>
      </CronInput>
      <form.Radio label="Input" name="inputForm" options={inputForms} isSegments />
      <form.TextArea
        label={isText ? 'Input of each run' : 'Messages as JSON'}
        name="input"
        rows={isText ? 3 : 6}
        required
        isMono={!isText}
        placeholder={isText ? '' : '[{ "role": "user", "text": "What is new?" }]'}
      />
      <form.Checkbox label="Enabled" name="enabled" />
    </Form>
  )
}

type DialogProps = { schedule?: Schedule; agentId?: string; onClose: () => void }

/** Creates or edits a schedule. */
export const ScheduleDialog = ({ schedule, agentId, onClose }: DialogProps) => {
  const agents = useAgentList()
  const isMissing = schedule === undefined && agents?.length === 0
  return (
    <Dialog isOpen title={schedule ? 'Edit schedule' : 'New schedule'} onClose={onClose}>
      {!agents && <Skeleton lines={8} />}
      {isMissing && <Missing what="agent" />}
      {agents && !isMissing && <ScheduleForm {...{ schedule, agents, agentId, onClose }} />}
    </Dialog>
  )
}
