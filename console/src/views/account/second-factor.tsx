import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { showToast } from '../../components/toast.ts'
import {
  beginSecondFactor,
  endSecondFactor,
  makeBackupCodes,
  type NewSecondFactor,
  sessionsQuery,
} from '../../data/account.ts'
import { useAccount } from '../../session/account.tsx'
import { useSession } from '../../session/session.tsx'
import { BackupCodes } from './backup-codes.tsx'
import { CurrentPassword } from './password.tsx'
import { ScanStep } from './scan-step.tsx'

type Step =
  | { name: 'turn on' | 'turn off' | 'new codes' }
  | { name: 'scan'; factor: NewSecondFactor }
  | { name: 'keep'; codes: readonly string[] }

const words = {
  'turn on': ['Continue', 'Your password is asked for once more, so that nobody else locks you out.'],
  'turn off': ['Turn off', 'From then on the password alone signs in.'],
  'new codes': ['Make new codes', 'The codes that you have written down are of no use any more then.'],
} as const

type AskProps = { step: keyof typeof words; onPassword: (password: string) => Promise<void>; onCancel: () => void }

const AskPassword = ({ step, onPassword, onCancel }: AskProps) => {
  const [submit, why] = words[step]
  return (
    <Form
      submit={submit}
      onSubmit={(form) => onPassword(textIn(form, 'current'))}
      aside={<Button onClick={onCancel}>Cancel</Button>}
    >
      <p className="muted">{why}</p>
      <CurrentPassword />
    </Form>
  )
}

/** What each step does with the password. */
const useSteps = (setStep: (step: Step | undefined) => void) => {
  const { refresh } = useAccount()
  const queries = useQueryClient()
  return {
    'turn on': async (password: string) => setStep({ name: 'scan', factor: await beginSecondFactor(password) }),
    'turn off': async (password: string) => {
      await endSecondFactor(password)
      await refresh()
      showToast({ tone: 'good', title: 'Two-factor codes are off' })
      setStep(undefined)
    },
    'new codes': async (password: string) => setStep({ name: 'keep', codes: await makeBackupCodes(password) }),
    scanned: async (factor: NewSecondFactor) => {
      await refresh()
      await queries.invalidateQueries(sessionsQuery())
      setStep({ name: 'keep', codes: factor.backupCodes })
    },
  }
}

const Actions = ({ isOn, onStep }: { isOn: boolean; onStep: (step: Step) => void }) =>
  isOn ? (
    <>
      <Button size="small" onClick={() => onStep({ name: 'new codes' })}>
        New backup codes
      </Button>
      <Button size="small" onClick={() => onStep({ name: 'turn off' })}>
        Turn off
      </Button>
    </>
  ) : (
    <Button size="small" onClick={() => onStep({ name: 'turn on' })}>
      Turn on
    </Button>
  )

const StepView = ({ step, setStep }: { step: Step; setStep: (step: Step | undefined) => void }) => {
  const steps = useSteps(setStep)
  const close = () => setStep(undefined)
  if (step.name === 'scan')
    return <ScanStep uri={step.factor.uri} onDone={() => steps.scanned(step.factor)} onCancel={close} />
  if (step.name === 'keep') return <BackupCodes codes={step.codes} onKept={close} />
  return <AskPassword key={step.name} step={step.name} onPassword={steps[step.name]} onCancel={close} />
}

/** A code beside the password: turned on, turned off, and its backup codes. */
export const SecondFactor = ({ hasPassword }: { hasPassword: boolean }) => {
  const { user } = useSession()
  const [step, setStep] = useState<Step>()
  const isOn = user.hasTwoFactor
  return (
    <Panel
      title="Two-factor codes"
      actions={
        <>
          <Status state={isOn ? 'active' : 'off'} label={isOn ? 'On' : 'Off'} />
          {hasPassword && !step && <Actions isOn={isOn} onStep={setStep} />}
        </>
      }
    >
      {step ? (
        <StepView step={step} setStep={setStep} />
      ) : (
        <p className="muted">
          {hasPassword
            ? 'Signing in by password, or by a provider, asks for a code of an authenticator app, too. A passkey needs none.'
            : 'Choose a password first: codes are asked for beside it.'}
        </p>
      )}
    </Panel>
  )
}
