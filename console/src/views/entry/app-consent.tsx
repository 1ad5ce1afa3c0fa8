import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/choices.tsx'
import { Select } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { type AppCapability, type AppRequest, consent, type Place, refuse } from '../../session/app-requests.ts'

// The consent to an app. The name is the app's own choice, so the page says where the consent is sent.

const warnings = ({ app, lookAlikes }: AppRequest): ReactNode[] =>
  lookAlikes.map((one) => {
    if (one.kind === 'mixed_alphabets') return 'Its name mixes letters of several alphabets that look alike.'
    const where = app.isOnThisMachine ? 'a program on this computer' : app.redirectHost
    if (one.kind === 'connected')
      return `An app with a similar name, ${one.name}, is connected already at ${one.host}. This one is at ${where}.`
    return `It calls itself ${app.name}, but that app is at ${one.host}. This one is at ${where}.`
  })

const Warnings = ({ request }: { request: AppRequest }) => {
  const found = warnings(request)
  if (found.length === 0) return null
  return (
    <Notice tone="warning" title="This may not be the app that you think">
      {found.map((text, index) => (
        <p key={String(index)}>{text}</p>
      ))}
    </Notice>
  )
}

/** The app, and the place that the consent goes to. */
const Identity = ({ app }: Pick<AppRequest, 'app'>) => (
  <>
    <p>
      <strong className="app-name">{app.name}</strong> asks for access.
      {app.isConnected && ' You connected it before; this is another connection.'}
    </p>
    <p>
      Your consent goes to{' '}
      {app.isOnThisMachine ? (
        <>
          <strong>a program on this computer</strong> ({app.redirectHost}). Go on only if you started it just now.
        </>
      ) : (
        <>
          <strong>{app.redirectHost}</strong>. Go on only if you know this host.
        </>
      )}{' '}
      {app.clientId.startsWith('https://') ? (
        <>
          Its name comes from <span className="mono">{new URL(app.clientId).host}</span>.
        </>
      ) : (
        'Anyone can choose this name.'
      )}
    </p>
  </>
)

const listTargets = (places: readonly Place[]) =>
  places.flatMap(({ id, name, brains, agents }) => [
    ...brains.map((brain) => ({ value: `${id} ${brain}`, name: `Brain ${brain} (${name})` })),
    ...(agents ? [{ value: `${id} `, name: `Agents of ${name}` }] : []),
  ])

const names: Record<AppCapability, string> = { read: 'Read', write: 'Write', review: 'Review' }

const hints: Record<'brain' | 'agents', Record<AppCapability, string>> = {
  brain: {
    read: 'search and read everything in the Brain',
    write: 'add and change knowledge; it waits for review where the Brain says so',
    review: 'approve and reject changes that wait for review',
  },
  agents: {
    read: 'see agents, runs and what they ask',
    write: 'start and cancel runs',
    review: 'answer what runs ask people',
  },
}

const durations = [
  { value: '1', name: 'One day' },
  { value: '7', name: '7 days' },
  { value: '30', name: '30 days' },
  { value: '90', name: '90 days' },
  { value: '365', name: '365 days' },
] as const

type Days = (typeof durations)[number]['value']

/** Reviewing decides over the work of others, so it is a choice of its own. */
const chosenAtFirst = (asked: readonly AppCapability[]): AppCapability[] => {
  const usual = asked.filter((name) => name !== 'review')
  return usual.length > 0 ? usual : [...asked]
}

type Form = { target: string; capabilities: AppCapability[]; days: Days }

/** The choices of the person. */
const Choices = ({
  request,
  form,
  onChange,
}: {
  request: AppRequest
  form: Form
  onChange: (change: Partial<Form>) => void
}) => {
  const targets = listTargets(request.places)
  const kind = form.target.endsWith(' ') ? 'agents' : 'brain'
  const toggle = (name: AppCapability, isOn: boolean) =>
    onChange({
      capabilities: request.capabilities.filter((one) => (one === name ? isOn : form.capabilities.includes(one))),
    })
  return (
    <>
      {targets.length > 1 ? (
        <Select label="Where" options={targets} value={form.target} onChange={(target) => onChange({ target })} />
      ) : (
        <p>
          Where: <strong>{targets[0]?.name}</strong>
        </p>
      )}
      <fieldset className="app-capabilities">
        <legend>It may</legend>
        {request.capabilities.map((name) => (
          <Checkbox
            key={name}
            checked={form.capabilities.includes(name)}
            onChange={(isOn) => toggle(name, isOn)}
            label={
              <>
                {names[name]} <small>{hints[kind][name]}</small>
              </>
            }
          />
        ))}
      </fieldset>
      <Select label="For how long" options={durations} value={form.days} onChange={(days) => onChange({ days })} />
    </>
  )
}

/** There is nothing that the person could let the app in to. */
const Nowhere = ({ resource }: Pick<AppRequest, 'resource'>) => (
  <Notice tone="warning" title="There is nothing to connect to">
    <p>
      {resource === 'brain'
        ? 'None of your organizations has the Brain of this address. Check the handle in the address, or use another account.'
        : 'You do not belong to an organization.'}
    </p>
  </Notice>
)

/** Goes to an address of the app, and stays busy until the browser has left. */
const leaveFor = async (address: Promise<string>): Promise<void> => {
  location.assign(await address)
  await new Promise((resolve) => setTimeout(resolve, 3_000))
}

/** Asks a person whether to let an app in. */
export const AppConsent = ({ request, signed }: { request: AppRequest; signed: string }) => {
  const { places, capabilities } = request
  const [form, setForm] = useState<Form>({
    target: listTargets(places)[0]?.value ?? '',
    capabilities: chosenAtFirst(capabilities),
    days: '90',
  })
  const allow = useAction(() => {
    const [organizationId = '', brain = ''] = form.target.split(' ')
    const expiresAt = new Date(Date.now() + Number(form.days) * 86_400_000 - 60_000).toISOString()
    const choice = { organizationId, brain: brain === '' ? null : brain, capabilities: form.capabilities, expiresAt }
    return leaveFor(consent(signed, choice))
  })
  const deny = useAction(() => leaveFor(refuse(signed)))
  const canAllow = form.target !== '' && form.capabilities.length > 0
  return (
    <>
      <Warnings request={request} />
      <Identity app={request.app} />
      {form.target === '' ? (
        <Nowhere resource={request.resource} />
      ) : (
        <Choices request={request} form={form} onChange={(change) => setForm({ ...form, ...change })} />
      )}
      <FailureNotice error={allow.error ?? deny.error} />
      <div className="actions">
        {form.target !== '' && (
          <Button tone="primary" isBusy={allow.isRunning} disabled={!canAllow} onClick={() => allow.run()}>
            Let it in
          </Button>
        )}
        <Button isBusy={deny.isRunning} onClick={() => deny.run()}>
          Cancel
        </Button>
      </div>
      <p className="hint">
        You can end this at any time at Settings, Apps. It ends by itself when you leave the organization.
      </p>
    </>
  )
}
