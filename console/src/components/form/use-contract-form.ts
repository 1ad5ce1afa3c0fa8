import type { Endpoint } from '@noema/contracts/endpoint.ts'
import { isObject } from '@noema/contracts/json.ts'
import { type AnyFormApi, useForm, useSelector } from '@tanstack/react-form'
import { useState } from 'react'
import { loadPart } from '../../parts/part.ts'
import { findChangedParts } from './changed-parts.ts'
import { type Fields, fields } from './fields.tsx'
import { findInvalidInputs } from './invalid-inputs.ts'
import type { Moved } from './moved-notice.tsx'
import { InvalidBody, type Paths, showProblems } from './problems.ts'

type Schema = NonNullable<Endpoint['body']>

type Options<Values, Body> = {
  /** The values that the form starts with. Read once; in a form that `edits`, later ones are what others changed. */
  initial: Values
  /** Loads the schema of the body. Called when the form first gets the focus, so that no page waits for schemas. */
  contract?: () => Promise<Schema>
  /** The positions of values in the body, for those whose name is not their path. */
  paths?: Paths | ((values: Values) => Paths)
  /** Builds the body from the values. Throws `FieldProblem` for a value that cannot be part of one. */
  toBody: (values: Values) => Body
  /**
   * For a form that edits something: `changed` has only what the person changed, and the form tells what others change meanwhile.
   * `merged` names the parts of the body that the service merges.
   */
  edits?: { merged?: readonly string[] } | undefined
  /** Sends the body, or the changed part of it. An error appears at the fields that it names, or else above the buttons. */
  submit: (body: Body, values: Values, changed: Partial<Body>) => Promise<void>
}

/** The state of a form, to subscribe to. */
type FormStore<Values> = {
  get: () => { values: Values }
  subscribe: (listener: (state: { values: Values }) => void) => { unsubscribe: () => void }
}

/** A form over a body of the contracts: its state, and field components whose `name` is one of its values. */
export type ContractForm<Values> = Fields<Values> & {
  api: AnyFormApi
  store: FormStore<Values>
  /** The last error that no field shows. */
  failure: unknown
  /** Changes by others since a form that `edits` was opened. */
  moved: Moved | undefined
  /** The schema of the body, loaded once. */
  prepare: () => void
  submit: (element: HTMLFormElement) => Promise<void>
  set: <Name extends keyof Values & string>(name: Name, value: Values[Name]) => void
  /** Starts over, with the first values or with others. */
  reset: (values?: Values) => void
}

/** The current value of a field. */
export const useFormValue = <Values, Name extends keyof Values & string>(
  { store }: { store: FormStore<Values> },
  name: Name,
): Values[Name] => useSelector(store, ({ values }) => values[name])

/** The names of the fields that are on the page now. */
const listShown = (api: AnyFormApi): string[] =>
  Object.entries(api.fieldInfo).flatMap(([name, info]) => (info?.instance ? [name] : []))

/** Loads the schema and the checker once. Without them the service alone checks the body. */
const makeLoader = (contract: () => Promise<Schema>) => {
  let loading: Promise<(body: unknown) => void> | undefined
  const load = async () => {
    const [schema, { checkBody }] = await loadPart(() => Promise.all([contract(), import('./check-body.ts')]))
    return (body: unknown) => {
      const details = checkBody(schema, body)
      if (details.length > 0) throw new InvalidBody(details)
    }
  }
  return () => {
    loading ??= load().catch(() => {
      loading = undefined
      return () => undefined
    })
    return loading
  }
}

/** The body of values, if they make one. */
const tryBody = <Values, Body>(toBody: (values: Values) => Body, values: Values): Body | undefined => {
  try {
    return toBody(values)
  } catch {
    return undefined
  }
}

/** The values that a form was opened with, its changes, and what others changed since. */
const useOpened = <Values, Body>({ initial: live, toBody, edits }: Options<Values, Body>) => {
  const [opened, setOpened] = useState(live)
  const findMoved = (): Omit<Moved, 'reopen'> | undefined => {
    if (!edits) return undefined
    const [before, after] = [tryBody(toBody, opened), tryBody(toBody, live)]
    const changed = findChangedParts(before, after)
    if (!isObject(changed) || !isObject(before) || Object.keys(changed).length === 0) return undefined
    return { before: Object.fromEntries(Object.keys(changed).map((name) => [name, before[name]])), after: changed }
  }
  const findChanged = (body: Body): Partial<Body> =>
    edits ? findChangedParts(tryBody(toBody, opened), body, edits.merged) : body
  return { opened, setOpened, findMoved, findChanged }
}

/** Changes by others, with the way to start over. The form's own saves are no changes by others. */
const useMoved = (api: AnyFormApi, find: () => Omit<Moved, 'reopen'> | undefined, reopen: () => void) => {
  const isSubmitting = useSelector(api.store, (state) => state.isSubmitting)
  const found = isSubmitting ? undefined : find()
  return found && { ...found, reopen }
}

/** The state of a form. Errors from the browser, the contract and the service appear at the field that they concern. */
export const useContractForm = <Values extends object, Body>(options: Options<Values, Body>): ContractForm<Values> => {
  const { contract, paths, toBody, submit } = options
  const { opened, setOpened, findMoved, findChanged } = useOpened(options)
  const [load] = useState(() => contract && makeLoader(contract))
  const [pending] = useState<{ element?: HTMLFormElement; body?: Body }>({})
  const toErrorMap = (error: unknown) => {
    const named = typeof paths === 'function' ? paths(api.state.values) : paths
    const { fields, failure } = showProblems(error, listShown(api), named)
    return { form: failure, fields }
  }
  const validate = async (values: Values) => {
    const invalid = pending.element ? findInvalidInputs(pending.element) : {}
    if (Object.keys(invalid).length > 0) return { form: undefined, fields: invalid }
    try {
      pending.body = toBody(values)
      const check = await load?.()
      check?.(pending.body)
      return undefined
    } catch (error) {
      return toErrorMap(error)
    }
  }
  const api: AnyFormApi = useForm({
    defaultValues: opened,
    validators: { onSubmitAsync: ({ value }) => validate(value) },
    onSubmit: async ({ value }) => {
      const body = pending.body as Body
      await submit(body, value, findChanged(body))
      if (options.edits) setOpened(value)
    },
  })
  const send = async (element: HTMLFormElement) => {
    if (api.state.isSubmitting) return
    pending.element = element
    api.setErrorMap({ onSubmit: { fields: {} } })
    try {
      await api.handleSubmit()
    } catch (error) {
      api.setErrorMap({ onSubmit: toErrorMap(error) })
    }
  }
  const reset = (values: Values = opened) => {
    // Each render passes the first values: the old ones would replace these.
    setOpened(values)
    api.reset(values)
  }
  return {
    ...fields,
    api,
    moved: useMoved(api, findMoved, () => reset(options.initial)),
    store: api.store,
    failure: useSelector(api.store, (state) => state.errorMap.onSubmit),
    prepare: () => void load?.(),
    submit: send,
    set: (name, value) => api.setFieldValue(name, value),
    reset,
  }
}
