import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Status } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
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
import { currentPassword } from './password.tsx'
import { ScanStep } from './scan-step.tsx'

type Step =
  | { name: 'turn on' | 'turn off' | 'new codes' }
  | { name: 'scan'; factor: NewSecondFactor }
  | { name: 'keep'; codes: readonly string[] }

const words = {
  'turn on': ['Continue', 'Enter your password again, so that no one else can lock you out.'],
  'turn off': ['Turn off', 'You will sign in with your password alone.'],
  'new codes': ['Create new codes', 'Your current backup codes stop working.'],
} as const

type AskProps = { step: keyof typeof words; onPassword: (password: string) => Promise<void>; onCancel: () => void }

const AskPassword = ({ step, onPassword, onCancel }: AskProps) => {
  const [submit, why] = words[step]
  const form = useContractForm({
    initial: { current: '' },
    toBody: ({ current }) => current,
    submit: onPassword,
  })
  return (
    <Form form={form} submit={submit} aside={<Button onClick={onCancel}>Cancel</Button>}>
      <p className="muted">{why}</p>
      <form.Text label="Your password" name="current" {...currentPassword} />
    </Form>
  )
}

/** Runs each step with the password. */
const useSteps = (setStep: (step: Step | undefined) => void) => {
  const { refresh } = useAccount()
  const queries = useQueryClient()
  return {
    'turn on': async (password: string) => setStep({ name: 'scan', factor: await beginSecondFactor(password) }),
    'turn off': async (password: string) => {
      await endSecondFactor(password)
      await refresh()
      showToast({ tone: 'good', title: 'Two-factor codes turned off' })
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

/** Turns two-factor codes on and off, and creates their backup codes. */
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
            ? 'Signing in with a password or a provider also asks for a code from your authenticator app. A passkey needs no code.'
            : 'Set a password first. You then sign in with the password and a code.'}
        </p>
      )}
    </Panel>
  )
}
