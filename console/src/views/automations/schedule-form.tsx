import type { Agent } from '@noema/contracts/agents.ts'
import type { Brain } from '@noema/contracts/brains.ts'
import type { Eval } from '@noema/contracts/evals.ts'
import type { Schedule } from '@noema/contracts/schedules.ts'
import { Link } from '@tanstack/react-router'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { withChosen } from '../../components/form/with-chosen.ts'
import { Skeleton } from '../../components/skeleton.tsx'
import { useAgentList, useBrainList, useEvalList } from '../../data/use-names.ts'
import { Missing } from '../../items/missing.tsx'
import { useSession } from '../../session/session.tsx'
import { readTimeZone } from '../../time-zone.ts'
import { CronInput } from './cron-input.tsx'
import { type InputForm, type ScheduleKind, toBody, toInputText, toKind, type Values } from './schedule-values.ts'
import { toAgentOptions } from './trigger-form.tsx'
import { useAutomationsRefresh } from './use-automation-acts.ts'

const inputForms = [
  { value: 'text', name: 'Text' },
  { value: 'messages', name: 'Messages' },
] as const satisfies readonly { value: InputForm; name: string }[]

const kinds = [
  { value: 'agent', name: 'Agent' },
  { value: 'eval', name: 'Eval' },
  { value: 'distillation', name: 'Distillation' },
] as const satisfies readonly { value: ScheduleKind; name: string }[]

const timezones = (): string[] => [...new Set(['UTC', readTimeZone(), ...Intl.supportedValuesOf('timeZone')])]

type FormProps = {
  schedule: Schedule | undefined
  agents: readonly Agent[]
  evals: readonly Eval[]
  brains: readonly Brain[]
  agentId?: string | undefined
  evalId?: string | undefined
  onClose: () => void
}

const toFirstKind = ({ schedule, evalId, agents }: FormProps): ScheduleKind => {
  if (schedule) return toKind(schedule)
  return evalId !== undefined || agents.length === 0 ? 'eval' : 'agent'
}

const toValues = (props: FormProps): Values => {
  const { schedule, agents, evals, brains, agentId, evalId } = props
  const { from, into } = schedule?.distillation ?? {}
  return {
    kind: toFirstKind(props),
    agentId: schedule?.agentId ?? agentId ?? agents[0]?.id ?? '',
    evalId: schedule?.evalId ?? evalId ?? evals[0]?.id ?? '',
    into: into?.brain ?? brains[0]?.handle ?? '',
    ofAgent: from?.agentId ?? '',
    sinceDays: schedule ? String(from?.sinceDays ?? '') : '1',
    cron: schedule?.cron ?? (evalId === undefined ? '0 9 * * 1-5' : '0 3 * * *'),
    timezone: schedule?.timezone ?? readTimeZone(),
    inputForm: Array.isArray(schedule?.input) ? 'messages' : 'text',
    input: toInputText(schedule?.input),
    enabled: schedule?.enabled ?? true,
  }
}

const useSave = (props: FormProps) => {
  const { client } = useSession()
  const refresh = useAutomationsRefresh()
  const { schedule, onClose } = props
  return useContractForm({
    initial: toValues(props),
    contract: async () => (await import('@noema/contracts/schedules.ts')).patchSchedule.body,
    paths: {
      into: 'distillation.into.brain',
      ofAgent: 'distillation.from.agentId',
      sinceDays: 'distillation.from.sinceDays',
    },
    toBody: (values) => toBody(values, schedule),
    edits: schedule && {},
    submit: async (body, _values, changed) => {
      if (schedule) await client.schedules.patch(schedule.id, changed)
      else await client.schedules.create(body)
      await refresh()
      onClose()
    },
  })
}

type TheForm = ReturnType<typeof useSave>

const AgentFields = ({ form, agents }: { form: TheForm; agents: readonly Agent[] }) => {
  const isText = useFormValue(form, 'inputForm') === 'text'
  return (
    <>
      <form.Radio label="Input" name="inputForm" options={inputForms} isSegments />
      <form.TextArea
        label={isText ? 'Input of each run' : 'Messages as JSON'}
        name="input"
        rows={isText ? 3 : 6}
        required={agents.length > 0}
        isMono={!isText}
        placeholder={isText ? '' : '[{ "role": "user", "text": "What is new?" }]'}
      />
    </>
  )
}

const toEvalOptions = (evals: readonly Eval[], chosen: string) =>
  withChosen(
    evals.map(({ id, name }) => ({ value: id, name })),
    chosen,
    chosen === '' ? 'No eval yet' : 'An archived eval',
  )

const NewEvalLink = () => (
  <Link to="/evals" search={{ open: 'new' }}>
    Create an eval first
  </Link>
)

const toBrainOptions = (brains: readonly Brain[], chosen: string) =>
  withChosen(
    brains.map(({ handle }) => ({ value: handle, name: handle })),
    chosen,
    chosen === '' ? 'No Brain yet' : `${chosen} (deleted)`,
  )

const DistillationFields = ({ form, agents, brains }: Pick<FormProps, 'agents' | 'brains'> & { form: TheForm }) => {
  const ofAgent = useFormValue(form, 'ofAgent')
  const named = ofAgent === '' ? agents.map(({ id, name }) => ({ value: id, name })) : toAgentOptions(agents, ofAgent)
  return (
    <>
      <form.Select
        label="Brain that gets lessons and skills"
        name="into"
        options={toBrainOptions(brains, useFormValue(form, 'into'))}
        hint="Each waits for review there."
      />
      <div className="form-pair">
        <form.Select label="Runs of" name="ofAgent" options={[{ value: '', name: 'All agents' }, ...named]} />
        <form.Text label="Of the last days" name="sinceDays" inputMode="numeric" autoComplete="off" />
      </div>
    </>
  )
}

const ScheduleForm = (props: FormProps) => {
  const { schedule, agents, evals, brains, onClose } = props
  const form = useSave(props)
  const kind = useFormValue(form, 'kind')
  const [agentId, evalId] = [useFormValue(form, 'agentId'), useFormValue(form, 'evalId')]
  return (
    <Form form={form} submit={schedule ? 'Save schedule' : 'Create schedule'} onCancel={onClose}>
      {!schedule && <form.Radio label="Starts" name="kind" options={kinds} isSegments />}
      {kind === 'agent' && <form.Select label="Agent" name="agentId" options={toAgentOptions(agents, agentId)} />}
      {kind === 'eval' && (
        <form.Select
          label="Eval"
          name="evalId"
          options={toEvalOptions(evals, evalId)}
          hint={evals.length === 0 && <NewEvalLink />}
        />
      )}
      {kind === 'distillation' && <DistillationFields {...{ form, agents, brains }} />}
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
      {kind === 'agent' && <AgentFields form={form} agents={agents} />}
      <form.Checkbox label="Enabled" name="enabled" />
    </Form>
  )
}

type DialogProps = { schedule?: Schedule; agentId?: string; evalId?: string; onClose: () => void }

/** Creates or edits a schedule. */
export const ScheduleDialog = ({ schedule, agentId, evalId, onClose }: DialogProps) => {
  const [agents, evals, brains] = [useAgentList(), useEvalList(), useBrainList()]
  const isMissing = schedule === undefined && agents?.length === 0 && evals?.length === 0
  return (
    <Dialog isOpen title={schedule ? 'Edit schedule' : 'New schedule'} onClose={onClose}>
      {!(agents && evals && brains) && <Skeleton lines={8} />}
      {isMissing && <Missing what="agent" />}
      {agents && evals && brains && !isMissing && (
        <ScheduleForm {...{ schedule, agents, evals, brains, agentId, evalId, onClose }} />
      )}
    </Dialog>
  )
}
