import type { Pack } from '@noema/contracts/packs.ts'
import type { Client } from '@noema/sdk'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Combobox } from '../../components/combobox.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Form } from '../../components/form/form.tsx'
import { FieldProblem } from '../../components/form/problems.ts'
import { useContractForm, useFormValue } from '../../components/form/use-contract-form.ts'
import { schemaQuery } from '../../data/schema.ts'
import { useBrainList } from '../../data/use-names.ts'
import { useSession } from '../../session/session.tsx'
import { Installed } from './installed.tsx'
import { fillIn, ParameterInputs, type ParameterValues, toInitialValues, toParameters } from './parameter-inputs.tsx'

type Answer = Awaited<ReturnType<Client['packs']['install']>>['installed']

type PlanProps = { pack: Pack; handle: string; isNew: boolean; parameters: ParameterValues }

/** The things of a pack by name: `the eval Desk`, `the evals Desk, Search`. */
const listNames = (noun: string, names: readonly string[]): string =>
  `the ${names.length === 1 ? noun : `${noun}s`} ${names.join(', ')}`

const toWait = ({ length }: readonly string[]): string => (length === 1 ? 'which waits' : 'which wait')

/** The effects of an install, given the current schema of the Brain. */
const Plan = ({ pack, handle, isNew, parameters }: PlanProps) => {
  const { data } = useQuery({ ...schemaQuery(useSession(), handle), enabled: !isNew && handle !== '' })
  const declared = new Set(isNew ? [] : data?.schema.kinds.map(({ kind }) => kind))
  const there = pack.kinds.filter(({ kind }) => declared.has(kind)).map(({ kind }) => kind)
  const missing = pack.kinds.filter(({ kind }) => !declared.has(kind)).map(({ kind }) => kind)
  const { records, statements, documents } = pack.sample
  const fill = (names: readonly string[]) => names.map((name) => fillIn(name, pack.parameters, parameters))
  const made = (
    [
      ['agent', pack.agents.map(({ name }) => name)],
      ['trigger', pack.triggers.map(({ name }) => name)],
      ['rubric', pack.rubrics],
      ['eval', pack.evals],
    ] as const
  ).flatMap(([noun, names]) => (names.length === 0 ? [] : listNames(noun, fill(names))))
  return (
    <section className="install-plan" aria-label="Plan">
      <ul>
        {isNew && (
          <li>
            Creates the Brain <code>{handle || pack.name}</code> in review mode.
          </li>
        )}
        {made.map((names) => (
          <li key={names}>Creates {names} at once.</li>
        ))}
        {missing.length > 0 && (
          <li>
            Proposes {listNames('kind', missing)}, {toWait(missing)} for review.
          </li>
        )}
        {there.length > 0 && <li>Keeps {listNames('kind', there)} as the Brain declares them.</li>}
        {records + statements + documents > 0 && <li>Proposes its sample content, which waits for review.</li>}
        {pack.skills.length > 0 && (
          <li>
            Proposes {listNames('skill', fill(pack.skills))}, {toWait(pack.skills)} for review.
          </li>
        )}
      </ul>
    </section>
  )
}

const targets = [
  { value: 'new', name: 'A new Brain' },
  { value: 'existing', name: 'An existing Brain' },
] as const

type Values = {
  target: 'new' | 'existing'
  handle: string
  existing: string | undefined
  model: string
  parameters: ParameterValues
}

const toBrain = ({ target, handle, existing = '' }: Pick<Values, 'target' | 'handle' | 'existing'>): string =>
  target === 'new' ? handle.trim() : existing

type FormProps = { pack: Pack; onInstalled: (answer: Answer, values: ParameterValues) => void; onClose: () => void }

const useInstall = ({ pack, onInstalled }: FormProps) => {
  const { client, organization } = useSession()
  const queries = useQueryClient()
  return useContractForm({
    initial: {
      ...{ target: 'new', handle: pack.name, existing: undefined, model: '' },
      parameters: toInitialValues(pack.parameters),
    } as Values,
    contract: async () => (await import('@noema/contracts/packs.ts')).installPack.body,
    paths: { handle: 'brain', existing: 'brain' },
    toBody: ({ model, parameters: given, ...values }) => {
      const brain = toBrain(values)
      if (brain === '') throw new FieldProblem('existing', 'Choose a Brain.')
      const parameters = toParameters(pack.parameters, given)
      const more = Object.keys(parameters).length > 0 ? { parameters } : {}
      return { brain, ...(model.trim() !== '' && { model: model.trim() }), ...more }
    },
    submit: async (body, { parameters }) => {
      const { installed } = await client.packs.install(pack.name, body)
      // An install creates a Brain, agents, triggers and changes, and an entry of the audit log.
      await queries.invalidateQueries({ queryKey: [organization.id] })
      onInstalled(installed, parameters)
    },
  })
}

const InstallForm = (props: FormProps) => {
  const { pack, onClose } = props
  const brains = useBrainList()
  const form = useInstall(props)
  const target = useFormValue(form, 'target')
  const handle = useFormValue(form, 'handle')
  const existing = useFormValue(form, 'existing')
  const chosen = toBrain({ target, handle, existing })
  return (
    <Form form={form} submit="Install" onCancel={onClose}>
      <form.Radio label="Install on" name="target" options={targets} isSegments />
      {target === 'new' ? (
        <form.Text
          label="Handle of the Brain"
          name="handle"
          isMono
          required
          autoComplete="off"
          hint={
            brains?.some((brain) => brain.handle === chosen)
              ? 'This Brain exists. The pack is installed on it.'
              : undefined
          }
        />
      ) : (
        <form.Field name="existing" hasOwnError>
          {({ value, set, error }) => (
            <Combobox
              label="Brain"
              items={(brains ?? []).map((brain) => ({ value: brain.handle, name: brain.handle }))}
              placeholder="Choose a Brain"
              value={value}
              error={error}
              onChange={set}
            />
          )}
        </form.Field>
      )}
      {pack.parameters.length > 0 && (
        <form.Field name="parameters">
          {({ value, set }) => <ParameterInputs parameters={pack.parameters} values={value} onChange={set} />}
        </form.Field>
      )}
      <form.Text
        label="Model of its agents"
        name="model"
        isMono
        autoComplete="off"
        placeholder="noema/extractive"
        hint="provider/model. If empty, the agents quote the Brain and need no provider."
      />
      <Plan pack={pack} handle={chosen} isNew={target === 'new'} parameters={useFormValue(form, 'parameters')} />
    </Form>
  )
}

/** Installs a pack, and shows its plan before and its results after. */
export const InstallDialog = ({ pack, onClose }: { pack: Pack; onClose: () => void }) => {
  const [done, setDone] = useState<{ answer: Answer; values: ParameterValues }>()
  const title = fillIn(pack.title, pack.parameters, done?.values)
  return (
    <Dialog isOpen title={done ? `Installed ${title}` : `Install ${title}`} onClose={onClose}>
      {done ? (
        <Installed brain={done.answer.brain.handle} items={done.answer.items} onClose={onClose} />
      ) : (
        <InstallForm pack={pack} onInstalled={(answer, values) => setDone({ answer, values })} onClose={onClose} />
      )}
    </Dialog>
  )
}
