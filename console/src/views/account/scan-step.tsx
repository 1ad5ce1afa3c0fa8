import { Button } from '../../components/button.tsx'
import { CodeInput } from '../../components/code-input.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { textIn } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { showCode } from '../../session/ways-in.ts'
import { QrCode } from './qr-code.tsx'

const readSecret = (uri: string): string => new URL(uri).searchParams.get('secret') ?? ''

type ScanProps = { uri: string; onDone: () => Promise<void>; onCancel: () => void }

/** Gives the secret to an authenticator app, and asks for its first code: nobody is asked for codes that they cannot show. */
export const ScanStep = ({ uri, onDone, onCancel }: ScanProps) => {
  const submit = async (form: FormData) => {
    await showCode(textIn(form, 'code'), false)
    await onDone()
  }
  const secret = readSecret(uri)
  return (
    <div className="scan-step">
      <QrCode text={uri} label="QR code for your authenticator app" />
      <div>
        <p>
          Scan this with your authenticator app, or <a href={uri}>open it there</a> on this device. Without a camera,
          enter the secret:
        </p>
        <p className="scan-secret">
          <code data-testid="totp-secret">{secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyButton text={secret} what="the secret" isQuiet />
        </p>
        <Form submit="Turn on" onSubmit={submit} aside={<Button onClick={onCancel}>Cancel</Button>}>
          <CodeInput label="Code that the app shows" />
        </Form>
      </div>
    </div>
  )
}
