import type { ProviderTest as Answer } from '@noema/contracts/providers.ts'
import { useId, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { FailureNotice, Notice } from '../../components/notice.tsx'
import { useAction } from '../../components/use-action.ts'
import { toAmount } from '../../plural.ts'
import { useSession } from '../../session/session.tsx'

const Outcome = ({ answer: { ok, status, error, milliseconds } }: { answer: Answer }) => (
  <Notice tone={ok ? 'good' : 'danger'} title={ok ? 'It answered' : 'It did not work'}>
    <p>
      {status === null ? 'No response came' : `Status ${status}`} after {toAmount(milliseconds)} ms.
    </p>
    {error !== null && <p>{error}</p>}
  </Notice>
)

/** Tests a provider: without a model it lists its models, with a model it requests a short answer. */
export const TestProvider = ({ name, models }: { name: string; models: readonly string[] }) => {
  const { client } = useSession()
  const id = useId()
  const [typed, setTyped] = useState<string>()
  // Until something is typed, a model that an agent uses. The agents may load later than this form.
  const model = typed ?? models[0] ?? ''
  const [answer, setAnswer] = useState<Answer>()
  const { run, isRunning, error } = useAction(async () => {
    setAnswer(undefined)
    setAnswer(await client.providers.test(name, model.trim() === '' ? {} : { model: model.trim() }))
  })
  return (
    <div className="stack">
      <div className="with-button">
        <Field id={id} label="Model">
          <input
            id={id}
            className="mono"
            list={`${id}-models`}
            aria-describedby={`${id}-hint`}
            autoComplete="off"
            value={model}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Field>
        <datalist id={`${id}-models`}>
          {models.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <Button icon="play" isBusy={isRunning} onClick={() => void run()}>
          {isRunning ? 'Testing…' : 'Test'}
        </Button>
      </div>
      <p className="hint" id={`${id}-hint`}>
        With a model, it generates one word, which costs a few tokens. Without a model, it lists the models.
      </p>
      <FailureNotice error={error} />
      {answer && <Outcome answer={answer} />}
    </div>
  )
}
