import { Button } from '../../components/button.tsx'
import { codeInput } from '../../components/code-input.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Form } from '../../components/form/form.tsx'
import { useContractForm } from '../../components/form/use-contract-form.ts'
import { showCode } from '../../session/ways-in.ts'
import { QrCode } from './qr-code.tsx'

const readSecret = (uri: string): string => new URL(uri).searchParams.get('secret') ?? ''

type ScanProps = { uri: string; onDone: () => Promise<void>; onCancel: () => void }

/** Shows the secret for an authenticator app and asks for its first code, which proves that the app works. */
export const ScanStep = ({ uri, onDone, onCancel }: ScanProps) => {
  const form = useContractForm({
    initial: { code: '' },
    toBody: ({ code }) => code,
    submit: async (code) => {
      await showCode(code, false)
      await onDone()
    },
  })
  const secret = readSecret(uri)
  return (
    <div className="scan-step">
      <QrCode text={uri} label="QR code for your authenticator app" />
      <div>
        <p>
          Scan this code with your authenticator app, or <a href={uri}>open the app</a> on this device. If you have no
          camera, enter the secret:
        </p>
        <p className="scan-secret">
          <code data-testid="totp-secret">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyButton text={secret} what="the secret" isQuiet />
        </p>
        <Form form={form} submit="Turn on" aside={<Button onClick={onCancel}>Cancel</Button>}>
          <form.Text label="Code from the app" {...codeInput} />
        </Form>
      </div>
    </div>
  )
}
